package dev.carillon.loop;

import dev.carillon.loop.queue.TimerNode;

/** A timer of a loop: {@link #onDue} is called on its thread. */
abstract class LoopTimer extends TimerNode implements Runnable {
    /** For the loop, to which a timer that is due is a task like any other. */
    @Override
    public final void run() {
        onDue();
    }

    abstract void onDue();

    /** The loop ends before it is due. */
    void onLoopEnd() {}
}
