package dev.carillon.signal.forwarder;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.Programs;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForwarderCodeTest {
    @TempDir
    private Path folder;

    @Test
    void theBytesAreWhatTheAssemblerMakesOfTheListing() throws Exception {
        Programs.need("as");
        Assumptions.assumeTrue(System.getProperty("os.arch").equals("amd64"), "this assembler is for another machine");
        StringBuilder source = new StringBuilder();
        for (Field field : ForwarderLayout.class.getDeclaredFields()) {
            source.append(".set ")
                    .append(field.getName())
                    .append(", ")
                    .append(field.getInt(null))
                    .append('\n');
        }
        source.append(".set data, ").append(ForwarderCode.DATA).append('\n').append(ForwarderCode.assembly());
        Files.writeString(folder.resolve("forwarder.s"), source);
        run("as", "-o", "forwarder.o", "forwarder.s");
        run("objcopy", "-O", "binary", "-j", ".text", "forwarder.o", "forwarder.bin");
        assertArrayEquals(Files.readAllBytes(folder.resolve("forwarder.bin")), ForwarderCode.bytes());
    }

    private void run(String... command) {
        ChildExit exit = ChildCommand.of(command).workingDirectory(folder).run(Duration.ofSeconds(30));
        assertEquals(0, exit.code(), exit::toString);
    }

    @Test
    void labelsAreFoundWhereTheirCodeIs() {
        assertEquals(0, ForwarderCode.offsetOf("carrier"));
        byte[] entry = new byte[4];
        System.arraycopy(ForwarderCode.bytes(), ForwarderCode.offsetOf("entry"), entry, 0, entry.length);
        assertArrayEquals(HexFormat.of().parseHex("F30F1EFA"), entry);
        assertThrows(IllegalArgumentException.class, () -> ForwarderCode.offsetOf("nowhere"));
        assertTrue(ForwarderCode.bytes().length < ForwarderLayout.PAGE);
    }

    @Test
    void theVmsSignalIsReadAsHotSpotReadsIt() {
        assertEquals(12, VmSignals.suspending(null));
        assertEquals(12, VmSignals.suspending("words"));
        assertEquals(12, VmSignals.suspending("11"));
        assertEquals(40, VmSignals.suspending("40"));
        assertEquals(12, VmSignals.suspending("65"));
    }
}
