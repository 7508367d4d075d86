package dev.carillon.sys;

/** Seals a mapping, so that the kernel refuses to change it any more. See mseal(2), Linux 6.10. */
public final class MappingSeal {
    private static final int MSEAL = 462;

    private MappingSeal() {}

    /** 0, or -errno. */
    public static int seal(LibC libc, long address, long length) {
        return (int) libc.syscall(MSEAL, address, length, 0);
    }
}
