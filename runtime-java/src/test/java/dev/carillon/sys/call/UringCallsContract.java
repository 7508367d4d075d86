package dev.carillon.sys.call;

import static dev.carillon.sys.layout.Constants.PROT_READ;
import static dev.carillon.sys.layout.Constants.PROT_WRITE;
import static dev.carillon.sys.layout.IoUringConstants.IORING_ENTER_GETEVENTS;
import static dev.carillon.sys.layout.IoUringConstants.IORING_FEAT_SINGLE_MMAP;
import static dev.carillon.sys.layout.IoUringConstants.IORING_OFF_SQES;
import static dev.carillon.sys.layout.IoUringConstants.IORING_OFF_SQ_RING;
import static dev.carillon.sys.layout.IoUringConstants.IORING_OP_FUTEX_WAIT;
import static dev.carillon.sys.layout.IoUringConstants.IORING_OP_NOP;
import static dev.carillon.sys.layout.IoUringConstants.IORING_REGISTER_PROBE;
import static dev.carillon.sys.layout.IoUringConstants.IO_URING_OP_SUPPORTED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Availability;
import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Feature;
import dev.carillon.sys.LibC;
import dev.carillon.sys.layout.IoUringLayout.CqOffsets;
import dev.carillon.sys.layout.IoUringLayout.Cqe;
import dev.carillon.sys.layout.IoUringLayout.Params;
import dev.carillon.sys.layout.IoUringLayout.Probe;
import dev.carillon.sys.layout.IoUringLayout.ProbeOp;
import dev.carillon.sys.layout.IoUringLayout.SqOffsets;
import dev.carillon.sys.layout.IoUringLayout.Sqe;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

abstract class UringCallsContract extends SysContract {
    private static final int OPERATIONS = 64;

    private final UringCalls calls = sys.urings();

    UringCallsContract(LibC libc) {
        super(libc);
    }

    @BeforeEach
    void skipWithoutUring() {
        Availability availability = Feature.IO_URING.availability();
        Assumptions.assumeTrue(availability.isAvailable(), availability::toString);
    }

    private ByteBuffer map(int ring, long offset, int length) {
        long address = sys.memory().mapShared(ring, offset, length, PROT_READ | PROT_WRITE);
        closing(() -> sys.memory().unmap(address, length));
        return libc.view(address, length);
    }

    @Test
    void anOperationGoesThroughTheRings() {
        int ring = number(calls.setup(4, at(0)));
        ByteBuffer params = memory.bytes();
        assertTrue((params.getInt(Params.FEATURES) & IORING_FEAT_SINGLE_MMAP) != 0);
        int cqes = params.getInt(Params.CQ_OFF + CqOffsets.CQES);
        int array = params.getInt(Params.SQ_OFF + SqOffsets.ARRAY);
        ByteBuffer rings = map(
                ring,
                IORING_OFF_SQ_RING,
                Math.max(
                        cqes + params.getInt(Params.CQ_ENTRIES) * Cqe.SIZE,
                        array + params.getInt(Params.SQ_ENTRIES) * Integer.BYTES));
        ByteBuffer sqes = map(ring, IORING_OFF_SQES, params.getInt(Params.SQ_ENTRIES) * Sqe.SIZE);
        sqes.put(Sqe.OPCODE, (byte) IORING_OP_NOP).putLong(Sqe.USER_DATA, 0x1357_9bdf_0246_8aceL);
        rings.putInt(array, 0);
        rings.putInt(params.getInt(Params.SQ_OFF + SqOffsets.TAIL), 1);
        assertEquals(1, calls.enter(ring, 1, 1, IORING_ENTER_GETEVENTS, 0, 0));
        assertEquals(1, rings.getInt(params.getInt(Params.CQ_OFF + CqOffsets.TAIL)));
        assertEquals(0x1357_9bdf_0246_8aceL, rings.getLong(cqes + Cqe.USER_DATA));
        assertEquals(0, rings.getInt(cqes + Cqe.RES));
    }

    @Test
    void theKernelSaysWhichOperationsItHas() {
        int ring = number(calls.setup(1, at(0)));
        assertEquals(0, calls.register(ring, IORING_REGISTER_PROBE, at(1024), OPERATIONS));
        assertTrue(Byte.toUnsignedInt(memory.bytes().get(1024 + Probe.LAST_OP)) >= IORING_OP_NOP);
        int nop = 1024 + Probe.SIZE + IORING_OP_NOP * ProbeOp.SIZE;
        assertEquals(IO_URING_OP_SUPPORTED, memory.bytes().getShort(nop + ProbeOp.FLAGS));
        int futex = 1024 + Probe.SIZE + IORING_OP_FUTEX_WAIT * ProbeOp.SIZE;
        assertEquals(IORING_OP_FUTEX_WAIT, Byte.toUnsignedInt(memory.bytes().get(futex + ProbeOp.OP)));
    }

    @Test
    void aWrongSetupFailsWithItsName() {
        SyscallException e = assertThrows(SyscallException.class, () -> calls.setup(0, at(0)));
        assertEquals("io_uring_setup failed: EINVAL (22)", e.getMessage());
        int event = number(sys.clocks().event(0));
        e = assertThrows(SyscallException.class, () -> calls.enter(event, 0, 0, 0, 0, 0));
        assertEquals(Errno.EOPNOTSUPP, e.errno());
    }
}
