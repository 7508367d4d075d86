package dev.carillon.shm;

/** A handler that can have enough in the midst of a poll, as its stage was cancelled. <b>Threading:</b> that of the poll. */
interface EndingHandler extends FrameHandler {
    /** Whether it takes one more. */
    boolean wantsMore();

    /** Whether a handler takes one more. */
    static boolean wantsMore(FrameHandler handler) {
        return !(handler instanceof EndingHandler ending) || ending.wantsMore();
    }
}
