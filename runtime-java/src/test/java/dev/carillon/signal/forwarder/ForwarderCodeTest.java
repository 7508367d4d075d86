package dev.carillon.signal.forwarder;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.sys.code.Assembler;
import dev.carillon.sys.code.CodeListing;
import dev.carillon.sys.code.Machine;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ForwarderCodeTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource
    void theBytesAreWhatTheAssemblerMakesOfTheListing(Machine machine) throws Exception {
        CodeListing code = ForwarderProgram.codeFor(machine);
        Assembler.assertSame(folder, machine, code, ForwarderLayout.class, ForwarderCode.DATA);
        assertTrue(code.bytes().length < ForwarderLayout.PAGE);
    }

    @Test
    void bothMachinesHaveTheSameLabels() {
        Pattern labels = Pattern.compile("(?m)^ *\\| (?!(?:count|held|zeros):)(\\w+:)$");
        assertEquals(
                labels.matcher(ForwarderCode.LISTING.text())
                        .results()
                        .map(MatchResult::group)
                        .map(String::strip)
                        .toList(),
                labels.matcher(ForwarderCodeOnArm.LISTING.text())
                        .results()
                        .map(MatchResult::group)
                        .map(String::strip)
                        .toList());
    }

    @Test
    void labelsAreFoundWhereTheirCodeIs() {
        CodeListing code = ForwarderCode.LISTING;
        assertEquals(0, code.offsetOf("carrier"));
        byte[] entry = new byte[4];
        System.arraycopy(code.bytes(), code.offsetOf("entry"), entry, 0, entry.length);
        assertArrayEquals(HexFormat.of().parseHex("F30F1EFA"), entry);
        assertThrows(IllegalArgumentException.class, () -> code.offsetOf("nowhere"));
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
