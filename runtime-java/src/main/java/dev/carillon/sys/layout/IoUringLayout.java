package dev.carillon.sys.layout;

/** The rings of io_uring. See io_uring_setup(2) and io_uring_enter(2). */
public final class IoUringLayout {
    private IoUringLayout() {}

    /** struct io_uring_params. */
    public static final class Params {
        public static final int SIZE = 120;
        public static final int SQ_ENTRIES = 0;
        public static final int CQ_ENTRIES = 4;
        public static final int FLAGS = 8;
        public static final int SQ_THREAD_CPU = 12;
        public static final int SQ_THREAD_IDLE = 16;
        public static final int FEATURES = 20;
        public static final int WQ_FD = 24;
        public static final int SQ_OFF = 40;
        public static final int CQ_OFF = 80;

        private Params() {}
    }

    /** struct io_sqring_offsets: where things stand in the mapped submission ring. */
    public static final class SqOffsets {
        public static final int SIZE = 40;
        public static final int HEAD = 0;
        public static final int TAIL = 4;
        public static final int RING_MASK = 8;
        public static final int RING_ENTRIES = 12;
        public static final int FLAGS = 16;
        public static final int DROPPED = 20;
        public static final int ARRAY = 24;

        private SqOffsets() {}
    }

    /** struct io_cqring_offsets: where things stand in the mapped completion ring. */
    public static final class CqOffsets {
        public static final int SIZE = 40;
        public static final int HEAD = 0;
        public static final int TAIL = 4;
        public static final int RING_MASK = 8;
        public static final int RING_ENTRIES = 12;
        public static final int OVERFLOW = 16;
        public static final int CQES = 20;
        public static final int FLAGS = 24;

        private CqOffsets() {}
    }

    /** struct io_uring_sqe: one operation. */
    public static final class Sqe {
        public static final int SIZE = 64;
        public static final int OPCODE = 0;
        public static final int FLAGS = 1;
        public static final int IOPRIO = 2;
        public static final int FD = 4;
        public static final int OFF = 8;
        public static final int ADDR2 = 8;
        public static final int ADDR = 16;
        public static final int LEN = 24;
        public static final int RW_FLAGS = 28;
        public static final int POLL32_EVENTS = 28;
        public static final int MSG_FLAGS = 28;
        public static final int ACCEPT_FLAGS = 28;
        public static final int CANCEL_FLAGS = 28;
        public static final int OPEN_FLAGS = 28;
        public static final int USER_DATA = 32;
        public static final int BUF_INDEX = 40;
        public static final int SPLICE_FD_IN = 44;
        public static final int FILE_INDEX = 44;
        public static final int ADDR3 = 48;

        private Sqe() {}
    }

    /** struct io_uring_cqe: one result. */
    public static final class Cqe {
        public static final int SIZE = 16;
        public static final int USER_DATA = 0;
        public static final int RES = 8;
        public static final int FLAGS = 12;

        private Cqe() {}
    }

    /** struct io_uring_getevents_arg: a timeout for io_uring_enter. */
    public static final class GeteventsArg {
        public static final int SIZE = 24;
        public static final int SIGMASK = 0;
        public static final int SIGMASK_SZ = 8;
        public static final int TS = 16;

        private GeteventsArg() {}
    }

    /** struct io_uring_probe: which operations the kernel has; one ProbeOp for each follows. */
    public static final class Probe {
        public static final int SIZE = 16;
        public static final int LAST_OP = 0;
        public static final int OPS_LEN = 1;

        private Probe() {}
    }

    /** struct io_uring_probe_op. */
    public static final class ProbeOp {
        public static final int SIZE = 8;
        public static final int OP = 0;
        public static final int FLAGS = 2;

        private ProbeOp() {}
    }
}
