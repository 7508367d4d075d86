package dev.carillon.guards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher in a checkout whose file system is full: a real one, of one megabyte. */
class LauncherFullDiskIT {
    @TempDir
    private Path folder;

    private Path disk;
    private Checkout checkout;

    @BeforeEach
    void mount() throws IOException {
        disk = Files.createDirectory(folder.resolve("disk"));
        ChildExit mounted =
                Checkout.run(ChildCommand.of("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk.toString()));
        Assumptions.assumeTrue(
                mounted.code() == 0, () -> "no small file system can be mounted (only root can): " + mounted);
        checkout = Checkout.in(disk);
    }

    @AfterEach
    void unmount() {
        Checkout.run(ChildCommand.of("umount", disk.toString()));
    }

    private Path fill() throws IOException {
        Path filler = disk.resolve("filler");
        try (OutputStream out = Files.newOutputStream(filler)) {
            while (true) {
                out.write(new byte[4096]);
            }
        } catch (IOException full) {
            assertTrue(String.valueOf(full.getMessage()).contains("No space left"), full::toString);
        }
        return filler;
    }

    private void assertNamed(ChildExit exit) {
        assertEquals(1, exit.code(), exit::toString);
        String words = "There is no space left for the build below " + checkout.home();
        assertTrue(exit.stderr().stream().anyMatch(line -> line.contains(words)), exit::toString);
    }

    @Test
    void aDiskThatIsFullBeforeTheBuildIsNamedAndRoomIsEnoughToGoOn() throws IOException {
        Path filler = fill();
        assertNamed(checkout.run("doctor"));
        assertEquals(0, checkout.builds());
        Files.delete(filler);
        assertEquals(0, checkout.run("doctor").code());
    }

    /** Then the build's own log has no room to say so either. */
    @Test
    void aDiskThatTheBuildFillsIsNamed() {
        checkout.maven("#!/bin/sh\ncat /dev/zero > filler\necho '[ERROR] no room for this line'\nexit 1\n");
        assertNamed(checkout.run("doctor"));
    }

    /** Nothing is written behind it but the archive of classes, without which the programs run, too. */
    @Test
    void aBuildThatLeavesNoRoomIsUsed() {
        checkout.maven("#!/bin/sh\n" + Checkout.succeeds() + "cat /dev/zero > filler 2>/dev/null\nexit 0\n");
        ChildExit exit = checkout.run("doctor");
        assertEquals(0, exit.code(), exit::toString);
        assertEquals(0, checkout.run("doctor").code());
        assertEquals(1, checkout.builds());
    }

    @Test
    void whatWasBuiltRunsOnAFullDisk() throws IOException {
        assertEquals(0, checkout.run("doctor").code());
        fill();
        ChildExit exit = checkout.run("doctor");
        assertEquals(0, exit.code(), exit::toString);
        assertEquals(1, checkout.builds());
    }
}
