package dev.carillon.lifecycle;

import java.io.PrintStream;

/** Prints to the user at the terminal, which may be stopped (Ctrl-S). <b>Threading:</b> any thread. */
final class Console {
    private final PrintStream out;
    private final boolean isQuiet;
    private final Lane lane;

    Console(PrintStream out, boolean isQuiet, LifecycleLog log) {
        this.out = out;
        this.isQuiet = isQuiet;
        lane = new Lane("carillon-console", lost -> log.lost("lines for the terminal", lost));
    }

    Lane lane() {
        return lane;
    }

    /** Prints it some time. */
    void print(String text) {
        if (!isQuiet) {
            lane.add(() -> {
                out.println(text);
                out.flush();
            });
        }
    }
}
