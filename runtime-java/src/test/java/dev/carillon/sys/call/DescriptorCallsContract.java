package dev.carillon.sys.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.layout.MessageLayout.Iovec;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

abstract class DescriptorCallsContract extends SysContract {
    private final DescriptorCalls calls = sys.descriptors();

    DescriptorCallsContract(LibC libc) {
        super(libc);
    }

    private int[] pipe() {
        Fd[] ends = calls.pipe(true);
        return new int[] {number(ends[0]), number(ends[1])};
    }

    // r[verify sys.expected]
    @Test
    void anEmptyPipeAnOpenOneAndAnEndedOneAreToldApartByValue() {
        Fd[] ends = calls.pipe(true);
        int reading = number(ends[0]);
        assertEquals(-Errno.EAGAIN, calls.read(reading, at(0), 8));
        memory.bytes().putLong(0, 7);
        assertEquals(8, calls.write(ends[1].acquire(), at(0), 8));
        assertEquals(8, calls.read(reading, at(64), 16));
        assertEquals(7, memory.bytes().getLong(64));
        ends[1].release();
        ends[1].close();
        assertEquals(0, calls.read(reading, at(0), 8));
    }

    @Test
    void writingToAPipeThatNobodyReadsIsAValue() {
        Fd[] ends = calls.pipe(true);
        int writing = number(ends[1]);
        ends[0].close();
        assertEquals(-Errno.EPIPE, calls.write(writing, at(0), 8));
    }

    // r[verify io.shared-flag]
    @Test
    void aCallThatMustNotWaitDoesNotOnAPipeThatMayBlock() {
        Fd[] ends = calls.pipe(false);
        int reading = ends[0].acquire();
        int writing = number(ends[1]);
        Iovec.put(memory.bytes(), 0, 0, at(64), 64);
        long empty = calls.readvNow(reading, at(0), 1);
        // Linux before 6.4 cannot, and says so.
        Assumptions.assumeTrue(empty != -Errno.EOPNOTSUPP, "pipes have no RWF_NOWAIT here");
        assertEquals(-Errno.EAGAIN, empty);
        long written = 0;
        long last;
        while ((last = calls.writevNow(writing, at(0), 1)) > 0) {
            written += last;
        }
        assertEquals(-Errno.EAGAIN, last);
        while ((last = calls.readvNow(reading, at(0), 1)) > 0) {
            written -= last;
        }
        assertEquals(-Errno.EAGAIN, last);
        assertEquals(0, written);
        ends[0].release();
        ends[0].close();
        assertEquals(-Errno.EPIPE, calls.writevNow(writing, at(0), 1));
    }

    @Test
    void aPipeHoldsWhatItWasResizedTo() {
        int[] pipe = pipe();
        assertEquals(4096, calls.resizePipe(pipe[1], 4096));
        assertEquals(4096, calls.write(pipe[1], at(0), 4096));
        assertEquals(-Errno.EAGAIN, calls.write(pipe[1], at(0), 1));
        assertEquals(1 << 17, calls.resizePipe(pipe[1], 1 << 17));
        assertEquals(4096, calls.write(pipe[1], at(0), 4096));
    }

    @Test
    void gatheredPiecesAreScatteredAgain() {
        int[] pipe = pipe();
        memory.bytes().put(0, "carillon".getBytes(StandardCharsets.UTF_8));
        Iovec.put(memory.bytes(), 128, 0, at(4), 4);
        Iovec.put(memory.bytes(), 128, 1, at(0), 4);
        assertEquals(8, calls.writev(pipe[1], at(128), 2));
        Iovec.put(memory.bytes(), 128, 0, at(64), 1);
        Iovec.put(memory.bytes(), 128, 1, at(80), 8);
        assertEquals(8, calls.readv(pipe[0], at(128), 2));
        assertEquals('l', memory.bytes().get(64));
        assertEquals('l', memory.bytes().get(80));
        assertEquals('i', memory.bytes().get(86));
    }

    @Test
    void readingAtAPositionLeavesTheDescriptorsOwn() {
        int file = number(sys.files().memory("position"));
        memory.bytes().putLong(0, 42);
        assertEquals(8, calls.writeAt(file, at(0), 8, 100));
        assertEquals(8, calls.readAt(file, at(64), 8, 100));
        assertEquals(42, memory.bytes().getLong(64));
        assertEquals(108, sys.files().status(file).size());
        assertEquals(0, calls.readAt(file, at(0), 8, 108));
        assertEquals(8, calls.read(file, at(64), 8));
        assertEquals(0, memory.bytes().getLong(64));
    }

    // r[verify sys.inherit]
    @Test
    void nothingThatIsMadeHereIsInherited() {
        int[] pipe = pipe();
        assertTrue(calls.isCloseOnExec(pipe[0]));
        assertTrue(calls.isCloseOnExec(pipe[1]));
        assertTrue(calls.isCloseOnExec(number(calls.duplicateFrom(pipe[0], 100))));
        assertTrue(calls.isCloseOnExec(number(sys.files().memory("inherit"))));
        assertTrue(calls.isCloseOnExec(number(sys.clocks().event(0))));
        assertTrue(calls.isCloseOnExec(number(sys.clocks().timer())));
        assertTrue(calls.isCloseOnExec(closing(sys.epoll(1)).number()));
        assertTrue(calls.isCloseOnExec(number(sys.sockets().open(1, 1))));
        calls.setCloseOnExec(pipe[0], false);
        assertFalse(calls.isCloseOnExec(pipe[0]));
    }

    @Test
    void aCopyHasTheLowestNumberFromTheGivenOneOn() {
        int[] pipe = pipe();
        int copy = number(calls.duplicateFrom(pipe[1], 500));
        assertTrue(copy >= 500, () -> "copy=" + copy);
        assertEquals(8, calls.write(copy, at(0), 8));
        assertEquals(8, calls.read(pipe[0], at(0), 8));
    }

    @Test
    void aNumberIsMadeToMeanSomethingElse() {
        int[] pipe = pipe();
        int event = number(sys.clocks().event(5));
        calls.replace(event, pipe[0]);
        assertEquals(8, calls.read(pipe[0], at(0), 64));
        assertEquals(5, memory.bytes().getLong(0));
        assertTrue(calls.isCloseOnExec(pipe[0]));
    }

    @Test
    void theNonBlockingFlagIsChangedAndToldBefore() {
        int[] pipe = pipe();
        assertTrue(calls.setNonBlocking(pipe[0], false));
        assertFalse(calls.isNonBlocking(pipe[0]));
        assertFalse(calls.setNonBlocking(pipe[0], true));
        assertTrue(calls.isNonBlocking(pipe[0]));
    }

    // r[verify sys.numbers]
    @Test
    void numbersThatCannotBeRightDoNotReachTheKernel() {
        assertThrows(IllegalArgumentException.class, () -> calls.read(-1, at(0), 8));
        assertThrows(IllegalArgumentException.class, () -> calls.write(0, at(0), -8));
        assertThrows(IllegalArgumentException.class, () -> calls.replace(0, -1));
    }

    // r[verify sys.failure]
    @Test
    void anUnexpectedFailureNamesTheCallAndTheError() {
        SyscallException e = assertThrows(SyscallException.class, () -> calls.read(999_999, at(0), 8));
        assertEquals("read failed: EBADF (9)", e.getMessage());
        assertEquals("read", e.call());
        assertEquals(Errno.EBADF, e.errno());
        assertEquals("EBADF", e.errnoName());
    }
}
