package dev.carillon.sys.layout;

/** What linux/io_uring.h calls by these names; the same on every architecture. */
public final class IoUringConstants {
    // setup: io_uring_setup(2)
    public static final int IORING_SETUP_IOPOLL = 1;
    public static final int IORING_SETUP_SQPOLL = 2;
    public static final int IORING_SETUP_CQSIZE = 8;
    public static final int IORING_SETUP_CLAMP = 16;
    public static final int IORING_SETUP_R_DISABLED = 64;
    public static final int IORING_SETUP_SUBMIT_ALL = 128;
    public static final int IORING_SETUP_COOP_TASKRUN = 0x100;
    public static final int IORING_SETUP_TASKRUN_FLAG = 0x200;
    public static final int IORING_SETUP_SINGLE_ISSUER = 0x1000;
    public static final int IORING_SETUP_DEFER_TASKRUN = 0x2000;
    public static final int IORING_FEAT_SINGLE_MMAP = 1;
    public static final int IORING_FEAT_NODROP = 2;
    public static final int IORING_FEAT_EXT_ARG = 0x100;
    public static final int IORING_FEAT_CQE_SKIP = 0x800;
    public static final int IORING_OFF_SQ_RING = 0;
    public static final int IORING_OFF_CQ_RING = 0x8000000;
    public static final int IORING_OFF_SQES = 0x10000000;
    public static final int IORING_SQ_NEED_WAKEUP = 1;
    public static final int IORING_SQ_CQ_OVERFLOW = 2;
    public static final int IORING_SQ_TASKRUN = 4;

    // enter and register: io_uring_enter(2), io_uring_register(2)
    public static final int IORING_ENTER_GETEVENTS = 1;
    public static final int IORING_ENTER_SQ_WAKEUP = 2;
    public static final int IORING_ENTER_EXT_ARG = 8;
    public static final int IORING_ENTER_REGISTERED_RING = 16;
    public static final int IORING_REGISTER_PROBE = 8;
    public static final int IORING_REGISTER_ENABLE_RINGS = 12;
    public static final int IORING_REGISTER_RING_FDS = 20;
    public static final int IORING_UNREGISTER_RING_FDS = 21;
    public static final int IO_URING_OP_SUPPORTED = 1;

    // operations
    public static final int IORING_OP_NOP = 0;
    public static final int IORING_OP_READV = 1;
    public static final int IORING_OP_WRITEV = 2;
    public static final int IORING_OP_POLL_ADD = 6;
    public static final int IORING_OP_POLL_REMOVE = 7;
    public static final int IORING_OP_SENDMSG = 9;
    public static final int IORING_OP_RECVMSG = 10;
    public static final int IORING_OP_TIMEOUT = 11;
    public static final int IORING_OP_TIMEOUT_REMOVE = 12;
    public static final int IORING_OP_ACCEPT = 13;
    public static final int IORING_OP_ASYNC_CANCEL = 14;
    public static final int IORING_OP_LINK_TIMEOUT = 15;
    public static final int IORING_OP_CONNECT = 16;
    public static final int IORING_OP_CLOSE = 19;
    public static final int IORING_OP_READ = 22;
    public static final int IORING_OP_WRITE = 23;
    public static final int IORING_OP_SEND = 26;
    public static final int IORING_OP_RECV = 27;
    public static final int IORING_OP_OPENAT2 = 28;
    public static final int IORING_OP_SHUTDOWN = 34;
    public static final int IORING_OP_MSG_RING = 40;
    public static final int IORING_OP_SOCKET = 45;

    // flags of operations and results
    public static final int IOSQE_IO_LINK = 4;
    public static final int IOSQE_ASYNC = 16;
    public static final int IOSQE_CQE_SKIP_SUCCESS = 64;
    public static final int IORING_POLL_ADD_MULTI = 1;
    public static final int IORING_ACCEPT_MULTISHOT = 1;
    public static final int IORING_ASYNC_CANCEL_ALL = 1;
    public static final int IORING_ASYNC_CANCEL_FD = 2;
    public static final int IORING_CQE_F_BUFFER = 1;
    public static final int IORING_CQE_F_MORE = 2;
    public static final int IORING_CQE_F_SOCK_NONEMPTY = 4;

    // Younger than the headers of many distributions: Linux 6.7
    public static final int IORING_OP_FUTEX_WAIT = 51;
    public static final int IORING_OP_FUTEX_WAKE = 52;

    private IoUringConstants() {}
}
