package dev.carillon.loop;

/** Something that another thread has the loop do and that is no callback of a user. */
abstract class LoopCommand {
    /** Only wakes the loop. */
    static final LoopCommand NOTHING = of(() -> {});

    /** On the loop thread. */
    abstract void onLoop();

    static LoopCommand of(Runnable action) {
        return new LoopCommand() {
            @Override
            void onLoop() {
                action.run();
            }
        };
    }
}
