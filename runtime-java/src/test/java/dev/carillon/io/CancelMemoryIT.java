package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.Ballast;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Operations that end where memory is short, in a VM of its own. */
final class CancelMemoryIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    // r[verify io.told]
    @Test
    void anOperationThatWasToEndEndsAlthoughThereIsNoMemoryForTheCause() {
        // Without TLABs: the loop's thread could still have room in its own.
        try (ChildProcess child = ChildJvm.of(Full.class)
                .vmFlags("-Xmx24m", "-XX:+UseSerialGC", "-Xint", "-XX:-UseTLAB")
                .start()) {
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(
                    List.of("3 ended, and 1 task", "3 ended, and 1 task", "there was no memory"),
                    exit.stdout(),
                    exit::toString);
        }
    }

    static final class Full {
        private static final Object[] TAKEN = new Object[400_000];
        private static final int OPERATIONS = 3;
        private static final int MAX_ROUNDS = 20;

        private final Operation[] operations = new Operation[OPERATIONS];
        private final Throwable[] told = new Throwable[OPERATIONS];
        private final AtomicInteger ended = new AtomicInteger();
        private final EventLoop loop = EventLoop.open().start();

        public static void main(String[] args) {
            Full full = new Full();
            // All that is needed was needed before, except for memory.
            System.out.println(full.endThem(false));
            // Another thread of the VM may let go of a little just then, which is enough for the loop. So we try again.
            String ended = "3 ended, and 1 task";
            for (int i = 0; i < MAX_ROUNDS && !full.wasShort() && ended.equals("3 ended, and 1 task"); i++) {
                ended = full.endThem(true);
            }
            System.out.println(ended);
            System.out.println(full.wasShort() ? "there was no memory" : "there was memory");
            full.loop.close();
        }

        /** The first failure may leave garbage, and so memory for the others. */
        private boolean wasShort() {
            return Arrays.stream(told).anyMatch(OutOfMemoryError.class::isInstance);
        }

        private String endThem(boolean withoutMemory) {
            List<StreamSocket> waiting = StreamSocket.pair(loop);
            List<StreamSocket> posted = StreamSocket.pair(loop);
            List<StreamSocket> closed = StreamSocket.pair(loop);
            for (int i = 0; i < OPERATIONS; i++) {
                int number = i;
                operations[i] = Operation.of(done -> {
                    told[number] = done.failure();
                    ended.incrementAndGet();
                });
            }
            ended.set(0);
            ByteBuffer bytes = ByteBuffer.allocateDirect(8);
            waiting.get(0).readSome(bytes, operations[0]);
            LoopCase.on(loop, () -> null);
            CountDownLatch blocked = new CountDownLatch(1);
            AtomicInteger after = new AtomicInteger();
            loop.execute(() -> LoopCase.awaitUninterruptibly(blocked));
            operations[0].cancel();
            posted.get(0).readSome(bytes, operations[1]);
            operations[1].cancel();
            closed.get(0).close();
            closed.get(0).readSome(bytes, operations[2]);
            loop.execute(after::incrementAndGet);
            if (withoutMemory) {
                Ballast.fill(TAKEN);
            }
            blocked.countDown();
            long end = System.nanoTime() + 30_000_000_000L;
            while ((ended.get() < OPERATIONS || after.get() == 0) && System.nanoTime() - end < 0) {
                Thread.onSpinWait();
            }
            int inTime = ended.get();
            Arrays.fill(TAKEN, null);
            String result = inTime + " ended, and " + after + " task";
            System.err.println(result + ": " + Arrays.toString(told));
            Deadline.after(LIMIT).await("the loop lives", () -> LoopCase.on(loop, () -> true));
            List.of(waiting, posted, closed).forEach(pair -> pair.forEach(StreamSocket::close));
            return result;
        }
    }
}
