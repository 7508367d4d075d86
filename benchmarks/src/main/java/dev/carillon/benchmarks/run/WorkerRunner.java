package dev.carillon.benchmarks.run;

import dev.carillon.benchmarks.model.Placement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** Talks to a worker, in Java or in C, which stays for the whole run. */
final class WorkerRunner implements Runner {
    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration ANSWER = Duration.ofMinutes(2);

    private final Child child;
    private final Cores cores;
    private final Set<String> open = new HashSet<>();
    private Placement placed = Placement.FREE;

    private WorkerRunner(Child child, Cores cores) {
        this.child = child;
        this.cores = cores;
    }

    /** Takes over a child that has just been started, and waits until it is ready. */
    static WorkerRunner of(Child child, Cores cores) throws RunFailure {
        String hello;
        try {
            hello = child.read("the line 'ready'", START).text();
        } catch (RunFailure e) {
            child.close();
            throw e;
        }
        if (!hello.equals("ready")) {
            child.close();
            throw new RunFailure("a worker said '" + hello + "' instead of 'ready'");
        }
        return new WorkerRunner(child, cores);
    }

    @Override
    public void place(Placement placement) throws RunFailure {
        if (placement == placed) {
            return;
        }
        for (String work : Set.copyOf(open)) {
            finish(work);
        }
        expect("place " + cores.first(placement) + " " + cores.second(placement), "placed");
        placed = placement;
    }

    @Override
    public double[] round(String work, long ops) throws Skipped, RunFailure {
        open.add(work);
        String answer = child.ask("run " + work + " " + ops, ANSWER);
        String[] words = answer.split(" ", -1);
        if (words[0].equals("skip")) {
            throw new Skipped(answer.substring("skip".length()).strip());
        }
        if (!words[0].equals("result") || words.length < 2) {
            throw new RunFailure("work " + work + ": " + answer);
        }
        double[] numbers = new double[words.length - 1];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = Double.parseDouble(words[i + 1]);
        }
        return numbers;
    }

    @Override
    public void finish(String work) throws RunFailure {
        if (open.remove(work)) {
            expect("close " + work, "closed");
        }
    }

    private void expect(String request, String expected) throws RunFailure {
        String answer = child.ask(request, ANSWER);
        if (!answer.equals(expected)) {
            throw new RunFailure("request '" + request + "': " + answer);
        }
    }

    @Override
    public void close() {
        child.close();
    }
}
