package dev.carillon.test;

import dev.carillon.test.proc.SignalNames;
import java.util.List;
import java.util.OptionalInt;

/**
 * How a child ended, and all it printed.
 *
 * @param code the exit code; 128 + n when signal n ended it
 * @param stdout lines of its standard output
 * @param stderr lines of its standard error
 */
public record ChildExit(int code, List<String> stdout, List<String> stderr) {
    private static final int SIGNAL_BASE = 128;
    private static final int LAST_SIGNAL = 64;

    /** Copies the lists. */
    public ChildExit {
        stdout = List.copyOf(stdout);
        stderr = List.copyOf(stderr);
    }

    /**
     * The signal in the exit code. The code cannot tell whether the signal ended the child or the child exited with
     * that code by itself, as a VM does that shuts down on SIGTERM: both are 143.
     */
    public OptionalInt signal() {
        int signal = code - SIGNAL_BASE;
        return signal >= 1 && signal <= LAST_SIGNAL ? OptionalInt.of(signal) : OptionalInt.empty();
    }

    /**
     * Fails if the child did not print this line on its standard output. The message names the line first, and then tells
     * how the child ended and what it printed.
     *
     * @param line the whole line
     */
    public void assertPrinted(String line) {
        if (!stdout.contains(line)) {
            throw new AssertionError("Not printed on stdout: " + line + "\n" + this);
        }
    }

    /** As {@link #assertPrinted}, but these lines in this order, and no others. */
    public void assertPrintedOnly(String... lines) {
        if (!stdout.equals(List.of(lines))) {
            throw new AssertionError("Not what was printed on stdout: " + List.of(lines) + "\n" + this);
        }
    }

    /** {@code exit code 143, as after SIGTERM (15)}, and what the child printed: fit for the message of an assertion. */
    @Override
    public String toString() {
        return describe(code) + printed("stdout", stdout) + printed("stderr", stderr);
    }

    static String describe(int code) {
        OptionalInt signal = new ChildExit(code, List.of(), List.of()).signal();
        return "exit code " + code
                + (signal.isPresent() ? ", as after " + SignalNames.describe(signal.getAsInt()) : "");
    }

    static String printed(String name, List<String> lines) {
        return lines.isEmpty() ? "" : "\n--- " + name + ", " + lines.size() + " lines\n" + String.join("\n", lines);
    }
}
