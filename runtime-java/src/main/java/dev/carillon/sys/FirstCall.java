package dev.carillon.sys;

import dev.carillon.Availability;
import dev.carillon.SyscallException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Loads the library that makes system calls, at the first call of the process.
 *
 * <p>The VM gives a class whose initialization has failed no second chance. So what needs descriptors, threads, memory or
 * stack runs in methods here, which may fail and are called again, and the class that keeps the result for the compiler
 * ({@link Kept}) only takes it. Classes of JNA and of the JDK do such work when they are initialized; before they are,
 * this looks whether there is room.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl sys.first-call]
final class FirstCall {
    /** For what is called before {@link StackRoom} can be asked. Frames of an interpreter take some 100 bytes, others fewer. */
    private static final int FRAMES = 1_000;

    private static final int HEAP_CHUNK = 64 << 10;

    /** Two megabytes. */
    private static final int HEAP_CHUNKS = 32;

    /** So much that nobody needs to look closer. */
    private static final long PLENTY = 16 << 20;

    /** Only ever set. Plain: a thread that does not see it yet asks again, under the lock. */
    private static boolean isMade;

    /** Set before {@link Kept} is initialized. */
    private static @Nullable LibCChoice choice;

    private FirstCall() {}

    /**
     * Null when the library is known; otherwise why it cannot be loaded at this moment.
     *
     * @throws OutOfMemoryError if there is no memory to load it
     * @throws StackOverflowError if there is no stack to load it
     */
    static @Nullable Availability shortage() {
        return isMade ? null : make();
    }

    private static synchronized @Nullable Availability make() {
        if (isMade) {
            return null;
        }
        ensureStack(FRAMES);
        ensureHeap();
        try {
            FreeDescriptors.ensure();
            // Behind the look for descriptors: the VM opens a library of its own to verify the classes that this makes.
            StackMaker.make();
            StackRoom.ensureDeep();
            choice = LibCChoice.ofThisProcess();
        } catch (NoRoomException none) {
            return unavailable(none.why());
        }
        // Here and now, where there is stack.
        isMade = Kept.CHOICE == choice;
        return null;
    }

    /** Initializes {@link StackRoom} where there is stack for that: how much compiled frames leave here nobody knows. */
    private static final class StackMaker extends Thread {
        private static final long PATIENCE_MILLIS = 10_000;

        private StackMaker() {
            super("carillon-stack-room");
            setDaemon(true);
        }

        /** Where no thread can be had, or it gets no processor for long, it is made here, as well as it can be. */
        static void make() {
            StackMaker maker = new StackMaker();
            try {
                maker.start();
                maker.join(PATIENCE_MILLIS);
            } catch (OutOfMemoryError noThread) {
                return;
            } catch (InterruptedException waitNoLonger) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void run() {
            StackRoom.ensureDeep();
        }
    }

    private static Availability unavailable(SyscallException why) {
        return Availability.unavailable(LibCChoice.SUBJECT, why);
    }

    private static int ensureStack(int frames) {
        return frames == 0 ? 0 : 1 + ensureStack(frames - 1);
    }

    private static void ensureHeap() {
        Runtime vm = Runtime.getRuntime();
        if (vm.maxMemory() - vm.totalMemory() + vm.freeMemory() < PLENTY) {
            byte[][] room = new byte[HEAP_CHUNKS][];
            for (int i = 0; i < HEAP_CHUNKS; i++) {
                room[i] = new byte[HEAP_CHUNK];
            }
        }
    }

    /** A constant for the compiler. To be asked only when there is no shortage. */
    static final class Kept {
        static final LibCChoice CHOICE = Objects.requireNonNull(choice);
        static final @Nullable LibC LIBC = CHOICE.libc;

        private Kept() {}
    }
}
