package dev.carillon.sys.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.sys.code.Assembler;
import dev.carillon.sys.code.Machine;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FaultCodeTest {
    @TempDir
    private Path folder;

    @Test
    void theBytesAreWhatTheAssemblerMakesOfTheListing() throws Exception {
        Assembler.assertSame(folder, Machine.X86_64, FaultCode.LISTING, FaultLayout.class, FaultCode.DATA);
        assertEquals(0, FaultCode.LISTING.offsetOf("guard"));
        assertTrue(FaultCode.LISTING.bytes().length < FaultLayout.PAGE);
    }

    @Test
    void aRangeIsOneNumberOfWholePages() {
        long first = 0x7fff_1234_5000L;
        assertEquals((first >> 12 << 20) + 1, FaultGuard.range(first, 1));
        assertEquals((first >> 12 << 20) + 2, FaultGuard.range(first, 4_097));
        long most = FaultGuard.range(0xff_ffff_ffff_f000L, Integer.MAX_VALUE);
        assertEquals(0x8_0000, most & FaultLayout.COUNT_MASK);
        assertEquals(0xff_ffff_ffff_fL, most >>> FaultLayout.COUNT_BITS);
    }
}
