package dev.carillon.sys;

import java.io.IOException;
import java.lang.invoke.MethodHandles;

/**
 * Makes sure that a few steps that belong together do not overflow the stack half-way.
 *
 * <p>A StackOverflowError can come at any call. A thread that has claimed a place in a queue and overflows before it has
 * filled it would stop the queue for good. So it asks for room before it claims: if there is none, the error comes now,
 * when nothing is changed yet.
 *
 * <p>To ask is to call a method with a large frame. HotSpot looks for the room when it enters the method: interpreted, as
 * its local variables take so much; compiled, since compiled code must be able to go back to the interpreter, at a branch
 * that was never taken. That costs a load, the branch, and a store for each page.
 *
 * <p><b>Threading:</b> any thread; it is about the calling one.
 */
// r[impl loop.overflow]
public final class StackRoom {
    /**
     * So much room is asked for. Compiled code looks for it by the page and may find up to a page less.
     */
    public static final int BYTES = 16 << 10;

    /** Steps that call others that ask by themselves need that room, and some for their own frames. */
    private static final int AROUND = BYTES + (8 << 10);

    /** For calls that are seldom made, and go through many others. */
    private static final int DEEP = 64 << 10;

    private static final Frame FRAME = newFrame("Large", BYTES);
    private static final Frame AROUND_FRAME = newFrame("Larger", AROUND);
    private static final Frame DEEP_FRAME = newFrame("Largest", DEEP);

    private StackRoom() {}

    /**
     * Returns if there is room, so that what the caller does next comes to its end.
     *
     * @throws StackOverflowError if not
     */
    public static void ensure() {
        FRAME.enter();
    }

    /**
     * As {@link #ensure}, for steps among which there is one that asks by itself: it must not fail any more.
     *
     * @throws StackOverflowError if there is no room for all of them
     */
    public static void ensureAround() {
        AROUND_FRAME.enter();
    }

    /**
     * As {@link #ensure}, for a call that is seldom made, goes through many others, and has much to undo if it fails.
     *
     * @throws StackOverflowError if there is not plenty of room
     */
    public static void ensureDeep() {
        DEEP_FRAME.enter();
    }

    private static Frame newFrame(String suffix, int size) {
        try {
            byte[] large = LargeFrame.bytes(Frame.class, suffix, "enter", "again", size / Long.BYTES);
            Class<?> type = MethodHandles.lookup().defineClass(large);
            return (Frame) type.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException | IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** What the class with the large frame extends. */
    abstract static class Frame {
        /** Always 0. No constant, so that compilers keep the branch that is never taken. */
        static int again;

        Frame() {}

        abstract void enter();
    }
}
