package dev.carillon.guards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When the launcher builds, and what becomes of a build that is ended or cannot be done. */
class LauncherBuildIT {
    private static final int NOBODY = 65534;

    private static final String ENDLESS = """
            #!/bin/sh
            echo run >> "$TOOLS/builds"
            sleep 1000 &
            echo "$$ $!" > "$TOOLS/pids.new"
            mv "$TOOLS/pids.new" "$TOOLS/pids"
            wait
            """;

    @TempDir
    private Path folder;

    private Checkout checkout;

    @BeforeEach
    void makeCheckout() {
        checkout = Checkout.in(folder);
    }

    @Test
    void whatWasBuiltIsNotBuiltAgain() {
        assertRuns(checkout);
        assertRuns(checkout);
        assertEquals(1, checkout.builds());
    }

    @Test
    void aChangedSourceIsBuiltAgain() throws IOException {
        assertRuns(checkout);
        Path built = checkout.home().resolve("target/launcher/built");
        Deadline.after(Checkout.PATIENCE).await("the source is newer than the build", () -> {
            checkout.source("samples/src/main/java/dev/carillon/samples/Hello.java", "// changed");
            return newer(checkout.home().resolve("samples/src/main/java/dev/carillon/samples/Hello.java"), built);
        });
        assertRuns(checkout);
        assertEquals(2, checkout.builds());
    }

    @Test
    void aCopiedCheckoutIsBuiltAnewAndRunsItsOwnJars() {
        assertRuns(checkout);
        Checkout copy = checkout.copiedTo(folder.resolve("copy"));
        String arguments = String.join(" ", assertRuns(copy));
        assertTrue(arguments.contains(copy.home() + "/samples/target/carillon-samples-0.jar"), arguments);
        assertFalse(arguments.contains(checkout.home() + "/"), arguments);
        assertEquals(2, checkout.builds());
    }

    @Test
    void aJarThatIsGoneIsBuiltAgain() throws IOException {
        assertRuns(checkout);
        Files.delete(checkout.home().resolve("samples/target/carillon-samples-0.jar"));
        assertRuns(checkout);
        assertEquals(2, checkout.builds());
    }

    @Test
    void aDeletedSourceIsNoticedAndItsClassesDoNotStay() throws IOException {
        assertRuns(checkout);
        checkout.source("samples/target/classes/dev/carillon/samples/Other.class", "");
        Files.delete(checkout.home().resolve("samples/src/main/java/dev/carillon/samples/Other.java"));
        assertRuns(checkout);
        assertEquals(2, checkout.builds());
        assertFalse(Files.exists(checkout.home().resolve("samples/target/classes")));
    }

    @ParameterizedTest
    @CsvSource({"INT, 130", "TERM, 143", "HUP, 129"})
    void aSignalDuringTheBuildEndsTheBuildToo(String signal, int code) throws IOException {
        checkout.maven(ENDLESS);
        try (ChildProcess launcher = checkout.launcher("doctor").start()) {
            List<Long> maven = pids();
            launcher.send(signal);
            ChildExit exit = launcher.awaitExit(Checkout.PATIENCE);
            assertEquals(code, exit.code(), exit::toString);
            assertSays(exit, "the build was ended by SIG" + signal);
            Deadline.after(Checkout.PATIENCE)
                    .await(
                            "Maven and what it started have ended",
                            () -> maven.stream().noneMatch(LauncherBuildIT::isAlive));
        }
        checkout.maven("#!/bin/sh\n" + Checkout.succeeds());
        assertRuns(checkout);
    }

    @Test
    void aSecondLauncherSaysThatItWaitsAndCanBeEnded() throws IOException {
        checkout.maven(ENDLESS);
        try (ChildProcess first = checkout.launcher("doctor").start()) {
            pids();
            try (ChildProcess second = checkout.launcher("doctor").start()) {
                second.awaitLine("Another ./carillon builds in this checkout; waiting", Checkout.PATIENCE);
                second.send("INT");
                assertEquals(130, second.awaitExit(Checkout.PATIENCE).code());
            }
            assertTrue(first.isAlive());
            assertEquals(1, checkout.builds());
        }
    }

    @Test
    void whoWaitedForABuildUsesIt() throws IOException {
        checkout.maven(ENDLESS.replace("wait\n", "read go < \"$TOOLS/go\"\nkill $!\n" + Checkout.succeeds()));
        Path go = checkout.tools().resolve("go");
        assertEquals(0, Checkout.run(ChildCommand.of("mkfifo", go.toString())).code());
        try (ChildProcess first = checkout.launcher("doctor").start()) {
            pids();
            try (ChildProcess second = checkout.launcher("doctor").start()) {
                second.awaitLine("Another ./carillon builds in this checkout; waiting", Checkout.PATIENCE);
                Files.writeString(go, "go\n");
                assertEquals(0, first.awaitExit(Checkout.PATIENCE).code());
                assertEquals(0, second.awaitExit(Checkout.PATIENCE).code());
            }
        }
        assertEquals(2, checkout.builds(), "one build, which writes down two lines");
    }

    @Test
    void aFailedBuildShowsItsErrors() {
        checkout.maven("#!/bin/sh\necho '[ERROR] Hello.java:[7] nonsense'\nexit 1\n");
        ChildExit exit = checkout.run("doctor");
        assertEquals(1, exit.code());
        assertSays(exit, "Hello.java:[7] nonsense");
        assertSays(exit, "The build failed; its whole output is in target/launcher/build.log");
    }

    @Test
    void aFullDiskIsNamed() {
        checkout.maven("#!/bin/sh\necho '[ERROR] jar: No space left on device'\nexit 1\n");
        ChildExit exit = checkout.run("doctor");
        assertEquals(1, exit.code());
        assertSays(exit, "There is no space left for the build below " + checkout.home());
    }

    @Test
    void aCheckoutThatCannotBeWrittenToIsNamed() throws IOException {
        allow("r-xr-xr-x");
        ChildCommand launcher = checkout.launcher("doctor");
        if (System.getProperty("user.name").equals("root")) {
            launcher.user(NOBODY, NOBODY); // root may write everywhere
        }
        ChildExit exit = Checkout.run(launcher);
        allow("rwxr-xr-x");
        assertEquals(1, exit.code());
        assertSays(exit, checkout.home() + "/target cannot be written to: Permission denied");
    }

    private void allow(String permissions) throws IOException {
        for (Path path : List.of(folder, checkout.home(), checkout.tools())) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
        }
    }

    private static List<String> assertRuns(Checkout checkout) {
        ChildExit exit = checkout.run("doctor");
        assertEquals(0, exit.code(), exit::toString);
        List<String> arguments = Checkout.arguments(exit);
        assertEquals("dev.carillon.doctor.CarillonDoctor", arguments.get(arguments.size() - 1), exit::toString);
        return arguments;
    }

    private List<Long> pids() throws IOException {
        Path pids = checkout.tools().resolve("pids");
        Deadline.after(Checkout.PATIENCE).await("Maven runs", () -> Files.exists(pids));
        return List.of(Files.readString(pids).strip().split(" ")).stream()
                .map(Long::valueOf)
                .toList();
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    private static boolean newer(Path file, Path than) {
        try {
            return Files.getLastModifiedTime(file).compareTo(Files.getLastModifiedTime(than)) > 0;
        } catch (IOException e) {
            throw new UncheckedIOException("no time of " + file, e);
        }
    }

    private static void assertSays(ChildExit exit, String words) {
        assertTrue(exit.stderr().stream().anyMatch(l -> l.contains(words)), () -> words + ": " + exit);
    }
}
