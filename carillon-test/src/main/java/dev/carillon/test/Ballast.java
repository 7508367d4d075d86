package dev.carillon.test;

/** Takes all memory of a VM, for tests of what happens then. For a child VM with a small heap. */
public final class Ballast {
    private static final int LARGEST = 1 << 20;

    private Ballast() {}

    /**
     * Fills the heap down to the smallest object.
     *
     * @param taken holds what was taken, until its places are set to null; made before, since nothing can be made after
     */
    public static void fill(Object[] taken) {
        int i = 0;
        int size = LARGEST;
        while (size >= 0 && i < taken.length) {
            try {
                taken[i] = new byte[size];
                i++;
            } catch (OutOfMemoryError full) {
                size = size == 0 ? -1 : size / 2;
            }
        }
    }
}
