package dev.carillon.process;

import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildProcess;

/** Processes that are no children of this one. */
final class Strangers {
    /** Sleeps. Its parent takes its end at once. */
    static final String TAKEN = "sleep 100 & echo pid $!; wait";

    /** Sleeps. Its parent takes no end, so it becomes a zombie. */
    static final String NOT_TAKEN = "sleep 100 & echo pid $!; exec sleep 200";

    private Strangers() {}

    /** The parent of a stranger, a shell; its end is also that of the stranger. */
    static ChildProcess parent(String script) {
        return ChildCommand.of("sh", "-c", script).start();
    }

    static int pidOf(ChildProcess parent) {
        return Integer.parseInt(parent.awaitLine("pid ", Running.LIMIT).substring(4));
    }
}
