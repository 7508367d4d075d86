package dev.carillon.benchmarks.run;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Says how far a run is: on a terminal in one line that changes, elsewhere in a line for each case. */
public final class Progress {
    private static final String ERASE_LINE = "\r\u001b[K";

    private final PrintStream out;
    private final boolean terminal;

    /** Writes to the standard output, after a look at where it goes. */
    public static Progress standard() throws IOException {
        String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
        // System.console() says less: from JDK 22 on it is there without a terminal, too.
        return new Progress(System.out, target.startsWith("/dev/pts/") || target.startsWith("/dev/tty"));
    }

    Progress(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    void caseStarts(String name, int rounds, int warmUps) {
        if (!terminal) {
            out.println(name + ": " + warmUps + " warm-up rounds (thrown away), " + rounds + " rounds");
        }
    }

    void round(String name, int done, int all) {
        if (terminal) {
            out.print(ERASE_LINE + name + " " + done + "/" + all);
            out.flush();
        }
    }

    void caseEnds() {
        if (terminal) {
            out.print(ERASE_LINE);
            out.flush();
        }
    }
}
