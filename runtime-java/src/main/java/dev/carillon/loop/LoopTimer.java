package dev.carillon.loop;

import dev.carillon.loop.queue.TimerNode;

/** A timer of a loop: {@link #onDue} is called on its thread. */
abstract class LoopTimer extends TimerNode {
    abstract void onDue();

    /** The loop ends before it is due. */
    void onLoopEnd() {}
}
