package dev.carillon.signal.forwarder;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.sys.code.Assembler;
import dev.carillon.sys.code.CodeListing;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForwarderCodeTest {
    @TempDir
    private Path folder;

    @Test
    void theBytesAreWhatTheAssemblerMakesOfTheListing() throws Exception {
        Assembler.assertSame(folder, ForwarderCode.LISTING, ForwarderLayout.class, ForwarderCode.DATA);
    }

    @Test
    void labelsAreFoundWhereTheirCodeIs() {
        CodeListing code = ForwarderCode.LISTING;
        assertEquals(0, code.offsetOf("carrier"));
        byte[] entry = new byte[4];
        System.arraycopy(code.bytes(), code.offsetOf("entry"), entry, 0, entry.length);
        assertArrayEquals(HexFormat.of().parseHex("F30F1EFA"), entry);
        assertThrows(IllegalArgumentException.class, () -> code.offsetOf("nowhere"));
        assertTrue(code.bytes().length < ForwarderLayout.PAGE);
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
