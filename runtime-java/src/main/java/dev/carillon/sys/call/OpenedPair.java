package dev.carillon.sys.call;

import static dev.carillon.sys.call.Results.checked;

import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.Scratch;
import java.util.function.LongToIntFunction;

/**
 * Two descriptors that one call opens.
 *
 * <p><b>Threading:</b> any thread.
 */
final class OpenedPair {
    private static final int NONE = -1;

    private OpenedPair() {}

    /**
     * Makes the call; their owners are made before it, so that nothing is allocated between it and them.
     *
     * <p>Where the heap is full the VM may throw nevertheless when the call was made already: it makes objects then that
     * compiled code did without, if it gives that code up. What the kernel has written says whether it was.
     *
     * @param open makes it with the address of two ints
     */
    // r[impl sys.owned]
    static Fd[] of(LibC libc, String call, LongToIntFunction open) {
        Scratch scratch = Scratch.ofThisThread(libc);
        Fd[] ends = Fd.ofNext(libc, 2);
        scratch.bytes.putInt(0, NONE).putInt(Integer.BYTES, NONE);
        try {
            checked(call, open.applyAsInt(scratch.address));
            own(ends, scratch);
            return ends;
        } catch (Error noMemory) {
            own(ends, scratch);
            close(ends);
            throw noMemory;
        }
    }

    private static void own(Fd[] ends, Scratch scratch) {
        for (int end = 0; end < ends.length; end++) {
            int number = scratch.bytes.getInt(end * Integer.BYTES);
            if (number != NONE) {
                ends[end].own(number);
            }
        }
    }

    private static void close(Fd[] ends) {
        try {
            ends[0].close();
        } finally {
            ends[1].close();
        }
    }
}
