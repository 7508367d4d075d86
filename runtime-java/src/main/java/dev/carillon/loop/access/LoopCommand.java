package dev.carillon.loop.access;

import dev.carillon.loop.queue.Chain;

/** A step of the loop itself, and no callback of a user: it counts for no limit of callbacks. */
public abstract class LoopCommand extends Chain.Link {
    /** Only wakes the loop. */
    public static final LoopCommand NOTHING = of(() -> {});

    /** In no queue yet. */
    protected LoopCommand() {}

    /** Called on the loop thread. */
    public abstract void onLoop();

    /** A command that runs an action. */
    public static LoopCommand of(Runnable action) {
        return new LoopCommand() {
            @Override
            public void onLoop() {
                action.run();
            }
        };
    }
}
