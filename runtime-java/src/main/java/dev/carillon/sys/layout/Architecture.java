package dev.carillon.sys.layout;

/** The two instruction sets whose numbers this package knows. */
public final class Architecture {
    private static final boolean ARM = System.getProperty("os.arch", "").equals("aarch64");

    private Architecture() {}

    /** Whether system calls can be made at all: 64-bit Linux on an instruction set that is known here. */
    public static boolean isKnown() {
        return System.getProperty("os.name", "").equals("Linux") && (ARM || isX86());
    }

    /** Whether this is x86-64, the only place where epoll_event is packed. */
    public static boolean isX86() {
        return System.getProperty("os.arch", "").equals("amd64");
    }

    static int onX86OrArm(int x86, int arm) {
        return ARM ? arm : x86;
    }
}
