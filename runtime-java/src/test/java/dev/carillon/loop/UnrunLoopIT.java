package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Loops that nobody runs, in a VM of their own: what is told goes to its standard error. */
final class UnrunLoopIT {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final String TOLD =
            " was given work 1 s ago and nobody runs it; call start(), or a run method on the"
                    + " thread that is to be its own";

    // r[verify loop.unrun]
    @Test
    void workForALoopThatNobodyRunsIsToldOnceAndNamesTheLoop() {
        try (ChildProcess child = ChildJvm.of(Forgets.class).start()) {
            List<String> told =
                    child.awaitExit(LIMIT).stdout().stream().sorted().toList();
            assertEquals(
                    List.of("EventLoop[has a timer, not started]" + TOLD, "EventLoop[has tasks, not started]" + TOLD),
                    told);
        }
    }

    static final class Forgets {
        public static void main(String[] args) throws Exception {
            ByteArrayOutputStream told = new ByteArrayOutputStream();
            System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
            EventLoop closed = open("is closed");
            try (EventLoop tasks = open("has tasks");
                    EventLoop timer = open("has a timer");
                    EventLoop started = open("is started");
                    EventLoop run = open("is run");
                    EventLoop unused = open("is given nothing")) {
                long began = System.nanoTime();
                for (EventLoop loop : List.of(tasks, started, run, closed)) {
                    for (int i = 0; i < 1_000; i++) {
                        loop.execute(() -> {});
                    }
                }
                timer.schedule(Duration.ofHours(1), () -> {});
                started.start();
                run.runUntilEmpty();
                closed.close();
                // Of the other loops it is rightly told where this thread has stood still until now.
                boolean inTime = System.nanoTime() - began < TimeUnit.SECONDS.toNanos(1);
                // On the clock that the looks go by, so that all of them were before.
                CompletableFuture.runAsync(
                                () -> {}, CompletableFuture.delayedExecutor(2, TimeUnit.SECONDS, Runnable::run))
                        .get(20, TimeUnit.SECONDS);
                Deadline.after(LIMIT)
                        .await("two lines", () -> lines(told, false).size() >= 2);
                lines(told, inTime).forEach(System.out::println);
                if (unused.hasThread()) {
                    System.out.println("it has a thread");
                }
            }
        }

        /** What is told of loops: of all, or of those that nobody runs at all. */
        private static List<String> lines(ByteArrayOutputStream told, boolean ofAll) {
            return told.toString(StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.contains(ofAll ? "EventLoop[" : "EventLoop[has "))
                    .map(line -> line.substring(line.indexOf("EventLoop[")))
                    .toList();
        }

        private static EventLoop open(String name) {
            return EventLoop.open(EventLoopOptions.builder().name(name).build());
        }
    }
}
