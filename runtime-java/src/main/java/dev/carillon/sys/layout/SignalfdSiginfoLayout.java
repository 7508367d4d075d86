package dev.carillon.sys.layout;

/** struct signalfd_siginfo: one record read from a signalfd. See signalfd(2). */
public final class SignalfdSiginfoLayout {
    public static final int SIZE = 128;
    public static final int SSI_SIGNO = 0;
    public static final int SSI_ERRNO = 4;
    public static final int SSI_CODE = 8;
    public static final int SSI_PID = 12;
    public static final int SSI_UID = 16;
    public static final int SSI_FD = 20;
    public static final int SSI_TID = 24;
    public static final int SSI_BAND = 28;
    public static final int SSI_OVERRUN = 32;
    public static final int SSI_TRAPNO = 36;
    public static final int SSI_STATUS = 40;
    public static final int SSI_INT = 44;
    public static final int SSI_PTR = 48;
    public static final int SSI_UTIME = 56;
    public static final int SSI_STIME = 64;
    public static final int SSI_ADDR = 72;

    private SignalfdSiginfoLayout() {}
}
