package dev.carillon.shm.doorbell;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import dev.carillon.test.Ballast;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Futures;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Doorbells of a loop that finds no memory, in a VM of its own. */
final class BellMemoryIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    // r[verify shm.doorbell.async-memory] r[verify io.watch-again]
    @Test
    void whatCameWhileMemoryWasShortIsToldLater() {
        ChildExit exit = ChildJvm.of(Full.class)
                .vmFlags("-Xmx24m", "-XX:+UseSerialGC", "-Xint", "-XX:-UseTLAB")
                .run(LIMIT);
        assertEquals(
                List.of("RUNG and PEER_GONE", "RUNG and PEER_GONE", "there was no memory"),
                exit.stdout(),
                exit::toString);
    }

    static final class Full {
        private static final Object[] TAKEN = new Object[400_000];
        private static final int MAX_ROUNDS = 20;
        private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

        private static volatile boolean mayGoOn;
        private static volatile boolean wasShort;

        public static void main(String[] args) throws Exception {
            EventLoop loop = EventLoop.open(EventLoopOptions.builder()
                            .errorHandler((failed, thrown) -> wasShort |= thrown instanceof OutOfMemoryError)
                            .build())
                    .start();
            // All that is needed was needed before, except for memory.
            System.out.println(events(loop, false));
            // Another thread of the VM may let go of a little just then, which is enough for the loop. So we try again.
            String expected = "RUNG and PEER_GONE";
            String events = expected;
            for (int i = 0; i < MAX_ROUNDS && !wasShort && events.equals(expected); i++) {
                events = events(loop, true);
            }
            System.out.println(events);
            System.out.println(wasShort ? "there was no memory" : "there was memory");
            System.exit(0);
        }

        private static String events(EventLoop loop, boolean withoutMemory) throws Exception {
            DoorbellPair ringing = Doorbell.pair();
            DoorbellPair ending = Doorbell.pair();
            AsyncDoorbell rung = ringing.guest().onLoop(loop);
            AsyncDoorbell dead = ending.guest().onLoop(loop);
            CompletableFuture<Boolean> settled = new CompletableFuture<>();
            loop.execute(() -> loop.execute(() -> settled.complete(true)));
            Futures.get(settled);
            mayGoOn = false;
            loop.execute(() -> spin(TimeUnit.SECONDS.toNanos(30), () -> mayGoOn));
            ringing.host().ring();
            ending.host().close();
            if (withoutMemory) {
                Ballast.fill(TAKEN);
            }
            mayGoOn = true;
            spin(SHORT_NANOS, () -> false);
            Arrays.fill(TAKEN, null);
            return next(rung) + " and " + next(dead);
        }

        private static String next(AsyncDoorbell bell) throws Exception {
            try {
                return bell.awaitEventAsync()
                        .get(Bells.LIMIT.toSeconds(), TimeUnit.SECONDS)
                        .toString();
            } catch (TimeoutException late) {
                return "nothing";
            }
        }

        private static void spin(long nanos, BooleanSupplier isOver) {
            long end = System.nanoTime() + nanos;
            while (!isOver.getAsBoolean() && System.nanoTime() - end < 0) {
                Thread.onSpinWait();
            }
        }
    }
}
