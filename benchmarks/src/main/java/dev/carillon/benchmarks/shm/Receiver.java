package dev.carillon.benchmarks.shm;

import dev.carillon.benchmarks.worker.Affinity;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The main class of the process that receives; it answers each request with a line, and a round with two.
 *
 * <pre>
 *   open WORK CORE ADDRESS   opened
 *   receive COUNT            begun, then: arrived NANOS SUM IN-ORDER
 *   close                    closed
 * </pre>
 *
 * <p>Between two requests it waits in a read and uses no core. It ends when its input does.
 */
public final class Receiver {
    /** As many messages as one look takes at most, so that the sender finds room again soon. */
    private static final int MOST = 64;

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ShmWorkload workload;
    private final PrintStream answers;
    private final Patience patience = new Patience(PATIENCE);
    private @Nullable Inlet inlet;
    private Tally tally = new Tally();

    private Receiver(ShmWorkload workload, PrintStream answers) {
        this.workload = workload;
        this.answers = answers;
    }

    /** Serves the workload whose class name is the only argument. */
    public static void main(String[] args) throws Exception {
        PrintStream answers = System.out;
        // Whatever a library prints must not look like an answer.
        System.setOut(System.err);
        Object workload = Class.forName(args[0]).getConstructor().newInstance();
        new Receiver((ShmWorkload) workload, answers).serve();
        System.exit(0);
    }

    private void serve() throws Exception {
        say("ready");
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            try {
                answer(line.split(" ", 4));
            } catch (UnsupportedOperationException e) {
                say("skip " + e.getMessage());
            } catch (Exception | LinkageError e) {
                e.printStackTrace();
                say("error " + e.toString().replaceAll("\\s+", " "));
            }
        }
        close();
    }

    private void say(String answer) {
        answers.println(answer);
        answers.flush();
    }

    private void answer(String[] request) throws Exception {
        switch (request[0]) {
            case "open" -> open(request[1], Integer.parseInt(request[2]), request[3]);
            case "receive" -> receive(Long.parseLong(request[1]));
            case "close" -> {
                close();
                say("closed");
            }
            default -> say("error unknown request " + request[0]);
        }
    }

    private void open(String work, int core, String address) throws Exception {
        if (core >= 0) {
            Affinity.pin(core);
        }
        inlet = workload.inlet(work, address);
        tally = new Tally();
        say("opened");
    }

    private void receive(long count) throws Exception {
        Inlet open = inlet;
        if (open == null) {
            throw new IOException("nothing is open");
        }
        say("begun");
        tally.begin();
        patience.begin();
        for (long left = count; left > 0; ) {
            left -= receiveSome(open, (int) Math.min(MOST, left));
        }
        say("arrived " + System.nanoTime() + " " + tally.sum() + " " + tally.inOrder());
    }

    /** A method of its own: the compiler takes it as a whole after some thousand calls. */
    private int receiveSome(Inlet open, int most) throws Exception {
        int count = open.receive(most, tally);
        while (count == 0) {
            patience.again();
            count = open.receive(most, tally);
        }
        return count;
    }

    private void close() throws Exception {
        Inlet open = inlet;
        inlet = null;
        if (open != null) {
            open.close();
        }
    }
}
