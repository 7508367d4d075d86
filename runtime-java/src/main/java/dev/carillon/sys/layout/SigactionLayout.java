package dev.carillon.sys.layout;

/** glibc's struct sigaction (the kernel's is another one). See sigaction(2). */
public final class SigactionLayout {
    public static final int SIZE = 152;
    public static final int SA_HANDLER = 0;
    public static final int SA_MASK = 8;
    public static final int SA_FLAGS = 136;
    public static final int SA_RESTORER = 144;

    private SigactionLayout() {}
}
