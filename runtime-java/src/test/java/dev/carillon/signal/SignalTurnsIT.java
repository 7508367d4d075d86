package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Jdk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How signals share the loop with its other work, and how long they are on their way there. */
final class SignalTurnsIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Four batches of 64. */
    private static final int IN_ONE_TURN = 256;

    private static final int WHILE_BUSY = 2_000;
    private static final int IN_THE_STORM = 20_000;

    static Stream<Jdk> jdks() {
        return SignalLaunchIT.jdks();
    }

    // r[verify signal.deliver] r[verify signal.storm]
    @ParameterizedTest
    @MethodSource("jdks")
    void fourBatchesAreReadBeforeOtherWorkGetsItsTurn(Jdk jdk) {
        try (ChildProcess child = ChildJvm.of(TakesTurns.class).jdk(jdk).start()) {
            child.awaitLine("busy", LIMIT);
            storm(child, WHILE_BUSY);
            child.writeLine("go on");
            child.awaitLine("received " + WHILE_BUSY, LIMIT);
            String most = child.awaitLine("most between two turns ", LIMIT);
            assertEquals("most between two turns " + IN_ONE_TURN, most, "the pipe was full of them");
            storm(child, IN_THE_STORM);
            child.awaitLine("received " + (WHILE_BUSY + IN_THE_STORM), LIMIT);
            child.writeLine("end");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            exit.assertPrinted("in all, most between two turns " + IN_ONE_TURN);
            exit.assertPrinted("refused 0, dropped 0");
        }
    }

    private static void storm(ChildProcess target, int count) {
        ChildExit exit = ChildJvm.of(SignalStormIT.Storm.class)
                .args(Long.toString(target.pid()), Integer.toString(count), "RTMIN+1")
                .run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
    }

    /** Other work that is always there, and counts how many signals come between two of its turns. */
    static final class TakesTurns {
        private static int received;
        private static long last;
        private static long most;

        public static void main(String[] args) {
            Scanner lines = new Scanner(System.in, StandardCharsets.US_ASCII);
            CountDownLatch isBusy = new CountDownLatch(1);
            try (EventLoop loop = EventLoop.open().start();
                    SignalService service = SignalService.attach(loop, SignalSet.of(Signal.realtime(1)))) {
                loop.execute(() -> waitAgain(service));
                loop.execute(() -> turn(loop, service));
                loop.execute(() -> {
                    System.out.println("busy");
                    while (isBusy.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                });
                lines.nextLine();
                isBusy.countDown();
                lines.nextLine();
                CompletableFuture<Long> result = new CompletableFuture<>();
                loop.execute(() -> result.complete(most));
                System.out.println("in all, most between two turns " + result.join());
                SignalStats stats = service.stats();
                System.out.println("refused " + stats.refused() + ", dropped " + stats.dropped());
            }
        }

        private static void turn(EventLoop loop, SignalService service) {
            long arrived = service.stats().arrived();
            most = Math.max(most, arrived - last);
            last = arrived;
            if (!loop.isStopping()) {
                loop.execute(() -> turn(loop, service));
            }
        }

        private static void waitAgain(SignalService service) {
            service.start(new SignalWaiter(Signal.realtime(1)) {
                @Override
                protected void onSignal(SignalInfo info) {
                    received++;
                    if (received == WHILE_BUSY || received == WHILE_BUSY + IN_THE_STORM) {
                        System.out.println("received " + received);
                        System.out.println("most between two turns " + most);
                    }
                    waitAgain(service);
                }

                @Override
                protected void onFailure(RuntimeException cause) {}
            });
        }
    }

    // r[verify signal.jfr]
    @ParameterizedTest
    @MethodSource("jdks")
    void theDeliveredEventTellsHowLongASignalWasWithTheLoop(Jdk jdk) {
        ChildExit exit = ChildJvm.of(Measures.class).jdk(jdk).run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
        assertEquals(List.of("pending true, waiting true"), exit.stdout());
    }

    /** Compares the events with what it measures itself: of a signal that had to stay, and of one that was waited for. */
    static final class Measures {
        public static void main(String[] args) throws Exception {
            Path file = Files.createTempFile("carillon-", ".jfr");
            long atLeast;
            long atMost;
            try (Recording recording = new Recording();
                    EventLoop loop = EventLoop.open().start();
                    SignalService service = SignalService.attach(loop, SignalSet.of(Signal.SIGURG))) {
                recording.enable("dev.carillon.SignalDelivered");
                recording.start();
                service.inject(SignalCase.numbered(Signal.SIGURG, 1));
                while (service.stats().pending() == 0) {
                    Thread.onSpinWait();
                }
                long isPending = System.nanoTime();
                CompletableFuture<Boolean> later = new CompletableFuture<>();
                loop.schedule(Duration.ofMillis(50), () -> later.complete(true));
                later.join();
                atLeast = System.nanoTime() - isPending;
                service.await(Signal.SIGURG).join();
                CompletableFuture<SignalInfo> waiting = service.await(Signal.SIGURG);
                while (service.stats().waiting() == 0) {
                    Thread.onSpinWait();
                }
                long before = System.nanoTime();
                service.inject(SignalCase.numbered(Signal.SIGURG, 2));
                waiting.join();
                atMost = System.nanoTime() - before;
                recording.stop();
                recording.dump(file);
            }
            List<RecordedEvent> events = RecordingFile.readAllEvents(file).stream()
                    .filter(event -> event.getEventType().getName().equals("dev.carillon.SignalDelivered"))
                    .toList();
            long first = events.get(0).getDuration("latency").toNanos();
            long second = events.get(1).getDuration("latency").toNanos();
            System.out.println("pending " + (events.size() == 2 && first >= atLeast) + ", waiting "
                    + (second > 0 && second <= atMost));
            Files.delete(file);
        }
    }
}
