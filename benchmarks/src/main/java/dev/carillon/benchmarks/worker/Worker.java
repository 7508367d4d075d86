package dev.carillon.benchmarks.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * The main class of a worker in Java: reads requests, one a line, and answers each with one line.
 *
 * <pre>
 *   place FIRST SECOND   placed            cores of the two sides, -1 for any
 *   run WORK OPS         result NUMBER...  or: skip REASON, or: error MESSAGE (the trace goes to stderr)
 *   close WORK           closed            releases what the work holds
 * </pre>
 *
 * <p>Between two requests it waits in a read and uses no core. It ends when its input does.
 */
public final class Worker {
    private final Map<String, Workload.Opener> openers;
    private final Map<String, Work> open = new HashMap<>();
    private final Figures figures = new Figures();
    private Stage stage = new Stage(Stage.ANY, Stage.ANY);

    private Worker(Workload workload) {
        openers = workload.works();
    }

    /** Serves the workload whose class name is the only argument. */
    public static void main(String[] args) throws IOException, ReflectiveOperationException {
        PrintStream answers = System.out;
        // Whatever a library prints must not look like an answer.
        System.setOut(System.err);
        Object workload = Class.forName(args[0]).getConstructor().newInstance();
        new Worker((Workload) workload).serve(answers);
    }

    private void serve(PrintStream answers) throws IOException {
        answers.println("ready");
        answers.flush();
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            answers.println(answer(line.split(" ", -1)));
            answers.flush();
        }
        for (String work : Map.copyOf(open).keySet()) {
            close(work);
        }
    }

    /** Any failure is an answer: the other works of this worker go on. */
    private String answer(String[] request) {
        try {
            return switch (request[0]) {
                case "place" -> place(Integer.parseInt(request[1]), Integer.parseInt(request[2]));
                case "run" -> run(request[1], Long.parseLong(request[2]));
                case "close" -> close(request[1]);
                default -> "error unknown request " + request[0];
            };
        } catch (UnsupportedOperationException e) {
            return "skip " + oneLine(e);
        } catch (Exception | LinkageError e) {
            e.printStackTrace();
            return "error " + oneLine(e);
        }
    }

    private String place(int first, int second) {
        stage = new Stage(first, second);
        stage.pinFirst();
        return "placed";
    }

    private String run(String name, long ops) throws Exception {
        Work work = open.get(name);
        if (work == null) {
            Workload.Opener opener = openers.get(name);
            if (opener == null) {
                throw new IllegalArgumentException("work=" + name + " is unknown here; known: " + openers.keySet());
            }
            work = opener.open(stage);
            open.put(name, work);
        }
        figures.clear();
        work.round(ops, figures);
        return figures.line();
    }

    private String close(String name) {
        Work work = open.remove(name);
        if (work != null) {
            work.close();
        }
        return "closed";
    }

    private static String oneLine(Throwable e) {
        return e.toString().replaceAll("\\s+", " ");
    }
}
