package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalInfo.Sender;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.forwarder.ForwarderCounters;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Jdk;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A loop that is busy while more signals come than its pipe holds, which is 128 here. */
final class SignalOverflowIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int SENT = 1_000;

    static Stream<Jdk> jdks() {
        return SignalLaunchIT.jdks();
    }

    // r[verify signal.overflow] r[verify signal.realtime]
    @ParameterizedTest
    @MethodSource("jdks")
    void whatFindsNoRoomInThePipeComesWhenThereIsSome(Jdk jdk) {
        try (ChildProcess child = ChildJvm.of(Busy.class).jdk(jdk).start()) {
            for (int round = 1; round <= 5; round++) {
                child.awaitLine("busy " + round + " ", LIMIT);
                try (ChildProcess sender = storm(child, SENT, "RTMIN+1", "RTMIN+2")) {
                    assertEquals(0, sender.awaitExit(LIMIT).code());
                }
                child.writeLine("go on");
                child.awaitLine("round " + round + ": " + SENT + " of sum " + SENT * (SENT - 1) / 2, LIMIT);
            }
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            exit.assertPrinted("refused 0 and 0, blocked {}");
        }
    }

    // r[verify signal.overflow] r[verify signal.realtime]
    @ParameterizedTest
    @MethodSource("jdks")
    void whatTheKernelDoesNotKeepEitherIsCountedAndDeliveredWithoutItsSender(Jdk jdk) {
        try (ChildProcess child = ChildJvm.of(Busy.class)
                .jdk(jdk)
                .prefix("prlimit", "--sigpending=200")
                .args("until refused")
                .start()) {
            child.awaitLine("busy 1 ", LIMIT);
            try (ChildProcess sender = storm(child, SENT, "RTMIN+1", "RTMIN+2");
                    ChildProcess filler = storm(child, SENT, "WINCH")) {
                assertEquals(0, filler.awaitExit(LIMIT).code());
                // A standard signal comes even where there is no place to queue it, but the carrier does not.
                Deadline.after(LIMIT).await("one was refused", () -> {
                    child.send("USR1");
                    return child.stdout().stream().anyMatch(line -> line.startsWith("USR1 was refused"));
                });
                child.writeLine("go on");
                ChildExit sent = sender.awaitExit(LIMIT);
                assertEquals(0, sent.code(), sent::toString);
            }
            child.awaitLine("accounted for " + SENT, LIMIT);
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            exit.assertPrinted("USR1 came without its sender");
        }
    }

    private static ChildProcess storm(ChildProcess target, int count, String... signals) {
        String[] arguments = Stream.concat(
                        Stream.of(Long.toString(target.pid()), Integer.toString(count)), Stream.of(signals))
                .toArray(String[]::new);
        return ChildJvm.of(SignalStormIT.Storm.class).args(arguments).start();
    }

    /** Counts what comes; between two rounds its loop is kept busy until a line is read. */
    static final class Busy {
        /** Longer than all that the test does meanwhile. */
        private static final Duration PATIENCE = LIMIT.multipliedBy(4);

        private static final Signal[] QUEUED = {Signal.realtime(1), Signal.realtime(2)};

        /** On a busy machine more of USR1 come before the refused one than are kept by default. */
        private static final SignalOptions MANY =
                SignalOptions.builder().pendingStandard(10_000).build();

        private static final AtomicLong TOTAL = new AtomicLong();
        private static final AtomicLong SUM = new AtomicLong();
        private static final AtomicLong WITHOUT_SENDER = new AtomicLong();

        private Busy() {}

        public static void main(String[] args) throws Exception {
            Scanner lines = new Scanner(System.in, StandardCharsets.US_ASCII);
            SignalSet signals = SignalSet.of(QUEUED).plus(SignalSet.of(Signal.SIGUSR1, Signal.SIGWINCH));
            try (EventLoop loop = EventLoop.open().start();
                    SignalService service = SignalService.attach(loop, signals, MANY)) {
                OwnPipes.shrink();
                loop.execute(() -> waitAgain(service, signals));
                if (args.length == 0) {
                    for (int round = 1; round <= 5; round++) {
                        count(loop, lines, round);
                    }
                    System.out.println("refused " + refused(QUEUED) + " and " + refused(Signal.SIGUSR1) + ", blocked "
                            + SignalSet.ofBits(SignalCase.on(
                                            loop, () -> Sys.get().signals().mask()))
                                    .minus(Signal.SIGQUIT));
                } else {
                    countAtTheLimit(loop, lines);
                }
            }
        }

        private static void count(EventLoop loop, Scanner lines, int round) {
            TOTAL.set(0);
            SUM.set(0);
            CountDownLatch busy = keepBusy(loop, round);
            lines.nextLine();
            if (TOTAL.get() != 0) {
                throw new AssertionError("the loop was not busy: " + TOTAL.get());
            }
            busy.countDown();
            if (!Deadline.after(LIMIT).poll(() -> TOTAL.get() == SENT)) {
                throw new AssertionError("of " + SENT + " came " + TOTAL.get() + ", and of " + refused(QUEUED)
                        + " refused ones " + WITHOUT_SENDER.get() + " without a sender");
            }
            System.out.println("round " + round + ": " + TOTAL.get() + " of sum " + SUM.get());
        }

        private static void countAtTheLimit(EventLoop loop, Scanner lines) {
            CountDownLatch busy = keepBusy(loop, 1);
            Deadline.after(PATIENCE).await("one is refused", () -> refused(Signal.SIGUSR1) > 0);
            System.out.println("USR1 was refused");
            lines.nextLine();
            busy.countDown();
            Deadline.after(LIMIT).await("all come", () -> TOTAL.get() + refused(QUEUED) == SENT);
            System.out.println("accounted for " + SENT);
            Deadline.after(LIMIT).await("the refused one comes", () -> WITHOUT_SENDER.get() > 0);
            System.out.println("USR1 came without its sender");
        }

        private static long refused(Signal... signals) {
            long sum = 0;
            for (Signal signal : signals) {
                sum += ForwarderCounters.refused(signal);
            }
            return sum;
        }

        private static CountDownLatch keepBusy(EventLoop loop, int round) {
            CountDownLatch goOn = new CountDownLatch(1);
            loop.execute(() -> {
                System.out.println("busy " + round + " ");
                try {
                    if (!goOn.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                        throw new AssertionError("nobody said to go on");
                    }
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            return goOn;
        }

        private static void waitAgain(SignalService service, SignalSet signals) {
            service.start(new SignalWaiter(signals) {
                @Override
                protected void onSignal(SignalInfo info) {
                    if (info.signal().isRealtime() && info.sender() != Sender.UNKNOWN) {
                        SUM.addAndGet(info.value());
                        TOTAL.incrementAndGet();
                    } else if (info.signal().equals(Signal.SIGUSR1) && info.sender() == Sender.UNKNOWN) {
                        WITHOUT_SENDER.incrementAndGet();
                    }
                    waitAgain(service, signals);
                }

                @Override
                protected void onFailure(RuntimeException cause) {}
            });
        }
    }
}
