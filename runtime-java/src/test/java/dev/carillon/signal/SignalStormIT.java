package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalInfo.Sender;
import dev.carillon.SignalSet;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Jdk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Scanner;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Signals as fast as another process can send them, while threads come and go and garbage is collected. */
final class SignalStormIT {
    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final int SIGNALS = Boolean.getBoolean("carillon.stress") ? 1_000_000 : 100_000;

    static Stream<Jdk> jdks() {
        return SignalLaunchIT.jdks();
    }

    // r[verify signal.storm] r[verify signal.standard-coalesce]
    @ParameterizedTest
    @MethodSource("jdks")
    void aStormOfMixedSignalsLeavesEverythingWorking(Jdk jdk) {
        try (ChildProcess child = ChildJvm.of(Receiver.class)
                .jdk(jdk)
                .vmFlags("-Xmx128m", "-Xss450k")
                .start()) {
            ChildExit sender = storm(child, "TERM", "HUP", "INT", "USR1", "USR2", "WINCH", "RTMIN+1", "RTMIN+2");
            assertTrue(sender.stdout().get(0).startsWith("sent "), sender::toString);
            awaitTermIsTaken(child);
            long term = child.send("TERM");
            child.awaitLine("SIGTERM from " + term + " ", LIMIT);
            child.writeLine("end");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(0, exit.code(), exit::toString);
            // Who waits again in his callback takes all that is read, however fast they come.
            assertTrue(exit.stdout().stream().anyMatch(line -> line.contains("dropped=0,")), exit::toString);
            System.out.println("storm of " + SIGNALS + " mixed, JDK " + jdk.feature() + ": " + sender.stdout()
                    + exit.stdout()
                            .subList(exit.stdout().size() - 4, exit.stdout().size()));
        }
    }

    /** A TERM of the storm that no thread has taken yet would swallow the next one. */
    private static void awaitTermIsTaken(ChildProcess child) {
        long pid = child.pid();
        Deadline.after(LIMIT).await("TERM is not pending", () -> !pending(pid).contains(Signal.SIGTERM));
    }

    private static SignalSet pending(long pid) {
        try {
            String line = Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                    .filter(each -> each.startsWith("ShdPnd:"))
                    .findFirst()
                    .orElseThrow();
            String bits = line.substring("ShdPnd:".length()).strip();
            return SignalSet.ofBits(Long.parseUnsignedLong(bits, 16));
        } catch (IOException ended) {
            throw new UncheckedIOException(ended);
        }
    }

    // r[verify signal.realtime]
    @ParameterizedTest
    @MethodSource("jdks")
    void noQueuedSignalIsLostAndEachKeepsItsValue(Jdk jdk) {
        try (ChildProcess child =
                ChildJvm.of(Receiver.class).jdk(jdk).vmFlags("-Xmx128m").start()) {
            ChildExit sender = storm(child, "RTMIN+1", "RTMIN+2");
            long sent = number(sender, "sent ");
            child.awaitLine("received " + sent + " ", LIMIT);
            child.writeLine("end");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(sent, number(exit, "total "), exit::toString);
            assertEquals(0, number(exit, "refused "), exit::toString);
            assertEquals(number(sender, "sum "), number(exit, "sum "), exit::toString);
            System.out.println("storm of " + sent + " queued, JDK " + jdk.feature() + ": " + sender.stdout()
                    + exit.stdout()
                            .subList(exit.stdout().size() - 4, exit.stdout().size()));
        }
    }

    // r[verify signal.realtime]
    @ParameterizedTest
    @MethodSource("jdks")
    void atTheUsersLimitWhatIsRefusedIsCounted(Jdk jdk) {
        try (ChildProcess child = ChildJvm.of(Receiver.class)
                .jdk(jdk)
                .vmFlags("-Xmx128m")
                .prefix("prlimit", "--sigpending=200")
                .start()) {
            ChildExit sender = storm(child, "RTMIN+1", "RTMIN+2");
            long sent = number(sender, "sent ");
            child.awaitLine("accounted for " + sent + " ", LIMIT);
            child.writeLine("end");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(sent, number(exit, "total ") + number(exit, "refused "), exit::toString);
            System.out.println("storm of " + sent + " queued at a limit of 200, JDK " + jdk.feature() + ": "
                    + sender.stdout()
                    + exit.stdout()
                            .subList(exit.stdout().size() - 4, exit.stdout().size()));
        }
    }

    private static ChildExit storm(ChildProcess target, String... signals) {
        target.awaitLine("ready FORWARDER", LIMIT);
        String[] arguments = Stream.concat(
                        Stream.of(Long.toString(target.pid()), Integer.toString(SIGNALS)), Stream.of(signals))
                .toArray(String[]::new);
        ChildExit exit = ChildJvm.of(Storm.class).args(arguments).run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
        return exit;
    }

    private static long number(ChildExit exit, String name) {
        return exit.stdout().stream()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.substring(name.length()).split(" ", -1)[0]))
                .reduce((first, last) -> last)
                .orElseThrow(() -> new AssertionError(name + " was not printed: " + exit));
    }

    /** Sends: standard signals as they are, real-time ones with numbers. */
    static final class Storm {
        public static void main(String[] args) {
            int pid = Integer.parseInt(args[0]);
            int count = Integer.parseInt(args[1]);
            Signal[] signals = Stream.of(args).skip(2).map(Signal::named).toArray(Signal[]::new);
            long sum = 0;
            long again = 0;
            long began = System.nanoTime();
            for (int i = 0; i < count; i++) {
                Signal signal = signals[i % signals.length];
                if (!signal.isRealtime()) {
                    Signals.send(pid, signal);
                    continue;
                }
                sum += i;
                while (!tryQueue(pid, signal, i)) {
                    if (again++ == 0) {
                        System.err.println("queue is full");
                    }
                    LockSupport.parkNanos(50_000);
                }
            }
            System.out.println("sent " + count + " in " + (System.nanoTime() - began) / 1_000_000 + " ms");
            System.out.println("sum " + sum);
            System.out.println("queue was full " + again);
        }

        private static boolean tryQueue(int pid, Signal signal, long value) {
            try {
                return Signals.queue(pid, signal, value);
            } catch (SyscallException full) {
                if (full.errnoName().equals("EAGAIN")) {
                    return false;
                }
                throw full;
            }
        }
    }

    /** Counts what comes, while it makes threads and garbage, until it reads a line. */
    static final class Receiver {
        private static final AtomicLong TOTAL = new AtomicLong();
        private static final AtomicLong SUM = new AtomicLong();
        private static volatile Object garbage = "";
        private static int lastTerm;

        public static void main(String[] args) throws Exception {
            SignalSet realtime = SignalSet.of(Signal.realtime(1), Signal.realtime(2));
            SignalSet standard = SignalSet.of(Signal.SIGTERM, Signal.SIGHUP, Signal.SIGINT, Signal.SIGUSR1)
                    .plus(SignalSet.of(Signal.SIGUSR2, Signal.SIGWINCH, Signal.SIGCHLD));
            AtomicBoolean isOver = new AtomicBoolean();
            Thread churn = new Thread(() -> churn(isOver));
            // Whoever kills the test ends our input, which is an exception below: then nothing may keep this VM alive.
            churn.setDaemon(true);
            try (EventLoop loop = EventLoop.open().start();
                    SignalService service = SignalService.attach(loop, realtime.plus(standard))) {
                churn.start();
                loop.execute(() -> waitAgain(service, realtime.plus(standard)));
                loop.execute(() -> report(loop, service, -1));
                System.out.println("ready " + service.capture());
                new Scanner(System.in, java.nio.charset.StandardCharsets.US_ASCII).nextLine();
                isOver.set(true);
                churn.join();
                System.out.println("refused " + service.stats().refused());
                System.out.println("total " + TOTAL.get());
                System.out.println("sum " + SUM.get());
                System.out.println(service.stats());
            }
        }

        /** On the loop, so that no record finds no waiter. */
        private static void waitAgain(SignalService service, SignalSet signals) {
            service.start(new SignalWaiter(signals) {
                @Override
                protected void onSignal(SignalInfo info) {
                    count(info);
                    waitAgain(service, signals);
                }

                @Override
                protected void onFailure(RuntimeException cause) {}
            });
        }

        private static void count(SignalInfo info) {
            if (info.signal().isRealtime() && info.sender() != Sender.UNKNOWN) {
                TOTAL.incrementAndGet();
                SUM.addAndGet(info.value());
            } else if (info.signal().equals(Signal.SIGTERM) && info.pid() != lastTerm) {
                lastTerm = info.pid();
                System.out.println("SIGTERM from " + info.pid() + " ");
            }
        }

        private static void report(EventLoop loop, SignalService service, long last) {
            long now = TOTAL.get() + service.stats().refused();
            if (now != last) {
                System.out.println("received " + TOTAL.get() + " ");
                System.out.println("accounted for " + now + " ");
            }
            loop.schedule(Duration.ofMillis(20), () -> report(loop, service, now));
        }

        private static void churn(AtomicBoolean isOver) {
            for (int i = 0; !isOver.get(); i++) {
                Thread thread = new Thread(() -> garbage = new byte[100_000]);
                thread.start();
                if (i % 64 == 0) {
                    System.gc();
                }
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    return;
                }
            }
        }
    }
}
