package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.Deadline;
import dev.carillon.test.Seeded;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Cancels from another thread race with results, for several kinds of operations. Each is told once, and what was taken
 * plus what is still there is what was sent.
 */
@Timeout(600)
abstract class CancelRaceContract extends LoopCase {
    /** So often is looked without giving the processor away. */
    private static final int SPINS = 2_000;

    private final Sys sys = Sys.get();

    /** How often a cancel races with a result, per kind. */
    int races() {
        return 10_000;
    }

    /** All races of one kind of operation. */
    private abstract class Race {
        final SplittableRandom random;

        /** Written by the loop before told, which publishes them. */
        long taken;

        long cancelled;
        final AtomicLong told = new AtomicLong();
        long sent;

        Race(SplittableRandom random) {
            this.random = random;
        }

        abstract void start(Operation operation);

        /** What completes an operation of that kind. */
        abstract void send();

        /** Whether to send now: not more at a time than a socket holds. */
        boolean wants() {
            return sent - taken < 8;
        }

        /** How much a completion brought, also that of a cancelled operation. */
        abstract long took(Operation done);

        void told(Operation done) {
            taken += took(done);
            Throwable failure = done.failure();
            if (failure instanceof CancellationException) {
                cancelled++;
            } else if (failure != null) {
                errors.add(failure);
            }
            told.incrementAndGet();
        }

        private void spin() {
            for (int i = random.nextInt(300); i > 0; i--) {
                Thread.onSpinWait();
            }
        }

        Race run() {
            Operation operation = Operation.of(this::told);
            for (long i = 1; i <= races(); i++) {
                boolean sends = random.nextBoolean() && wants();
                start(operation);
                if (sends) {
                    send();
                    sent++;
                }
                spin();
                operation.cancel();
                await(i);
            }
            assertEquals(races(), told.get());
            assertTrue(cancelled > 0 && cancelled < races(), () -> "cancelled=" + cancelled);
            assertTrue(errors.isEmpty(), errors::toString);
            return this;
        }

        /** Starts without cancels until all that was sent is there. */
        void takeRest() {
            Operation operation = Operation.of(this::told);
            while (taken < sent) {
                long expected = told.get() + 1;
                start(operation);
                await(expected);
            }
            assertEquals(sent, taken);
        }

        void await(long expected) {
            for (int i = 0; i < SPINS && told.get() != expected; i++) {
                Thread.onSpinWait();
            }
            if (told.get() == expected) {
                return;
            }
            // A busy machine: each race has its own patience, and however long all take together is nobody's fault.
            Deadline patience = Deadline.after(LIMIT);
            while (told.get() != expected) {
                assertTrue(!patience.isOver(), () -> "told " + told + " of " + expected + ", " + errors);
                LockSupport.parkNanos(1_000);
            }
        }
    }

    // r[verify io.cancel]
    @Test
    void datagramsAreNeitherLostNorTakenTwice(@Seeded SplittableRandom random) {
        EventLoop loop = started();
        DatagramSocket from = closeLater(DatagramSocket.bind(loop, localFour()));
        DatagramSocket to = closeLater(DatagramSocket.bind(loop, localFour()));
        SocketAddress address = Objects.requireNonNull(to.localAddress());
        ByteBuffer in = ByteBuffer.allocateDirect(1);
        ByteBuffer out = ByteBuffer.allocateDirect(1);
        new Race(random) {
            @Override
            void start(Operation operation) {
                to.receive(in.clear(), operation);
            }

            @Override
            void send() {
                get(from.sendAsync(out.clear(), address));
            }

            @Override
            long took(Operation done) {
                return in.position();
            }
        }.run().takeRest();
    }

    // r[verify io.cancel] r[verify io.scm-rights]
    @Test
    void descriptorsThatTravelAreNeitherLostNorTakenTwice(@Seeded SplittableRandom random) {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        ByteBuffer in = ByteBuffer.allocateDirect(1);
        ByteBuffer out = ByteBuffer.allocateDirect(1);
        Fd travels = sys.clocks().event(0);
        int number = travels.acquire();
        new Race(random) {
            @Override
            void start(Operation operation) {
                pair.get(1).receiveDescriptors(in.clear(), 1, operation);
            }

            @Override
            void send() {
                get(pair.get(0).sendDescriptorsAsync(out.clear(), number));
            }

            @Override
            long took(Operation done) {
                if (done.value() instanceof ReceivedDescriptors received) {
                    received.descriptors().forEach(PassedDescriptor::close);
                    return received.descriptors().size();
                }
                return 0;
            }
        }.run().takeRest();
        travels.release();
        travels.close();
    }

    // r[verify io.cancel]
    @Test
    void whatACancelledWriteHasMovedIsInItsPosition(@Seeded SplittableRandom random) {
        EventLoop loop = started();
        List<StreamSocket> pair = pair(loop);
        ByteBuffer out = ByteBuffer.allocateDirect(1 << 16);
        ByteBuffer in = ByteBuffer.allocateDirect(1 << 18);
        long[] read = new long[1];
        Race race = new Race(random) {
            @Override
            void start(Operation operation) {
                pair.get(0).writeAll(out.clear(), operation);
            }

            /** Makes room for some of a write, or for all of it. */
            @Override
            void send() {
                get(pair.get(1).pollReadableAsync());
                read[0] += get(pair.get(1).readSomeAsync(in.clear().limit(1 + random.nextInt(in.capacity()))));
            }

            @Override
            boolean wants() {
                return true;
            }

            @Override
            long took(Operation done) {
                return out.position();
            }
        }.run();
        while (read[0] < race.taken) {
            read[0] += get(pair.get(1).readSomeAsync(in.clear()));
        }
        assertEquals(race.taken, read[0]);
    }

    // r[verify io.cancel] r[verify io.poll]
    @Test
    void aBorrowedWaitIsToldOnceAndLeavesNothingBehind(@Seeded SplittableRandom random) {
        EventLoop loop = started();
        Fd[] ends = sys.descriptors().pipe(true);
        int reading = ends[0].acquire();
        int writing = ends[1].acquire();
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        long address = sys.libc().addressOf(one);
        new Race(random) {
            @Override
            void start(Operation operation) {
                Descriptor.awaitReadable(loop, reading, operation);
            }

            @Override
            void send() {
                assertEquals(1, sys.descriptors().write(writing, address, 1));
            }

            @Override
            long took(Operation done) {
                return done.failure() == null ? sys.descriptors().read(reading, address, 1) : 0;
            }
        }.run().takeRest();
        for (Fd end : ends) {
            end.release();
            end.close();
        }
    }

    /** One who cancels without knowing of the start meets an operation that is just being started on another loop. */
    // r[verify io.cancel] r[verify loop.single-thread]
    @Test
    void anOperationThatMovesBetweenLoopsIsTouchedByTheThreadOfItsOwnOnly(@Seeded SplittableRandom random)
            throws InterruptedException {
        List<EventLoop> loops = List.of(started(), started());
        List<List<StreamSocket>> pairs = loops.stream().map(this::pair).toList();
        ByteBuffer in = ByteBuffer.allocateDirect(1);
        AtomicBoolean over = new AtomicBoolean();
        int[] turn = new int[1];
        Race race = new Race(random) {
            @Override
            void start(Operation operation) {
                turn[0] ^= 1;
                pairs.get(turn[0]).get(1).readSome(in.clear(), operation);
            }

            @Override
            void send() {
                throw new AssertionError("nothing is sent");
            }

            @Override
            long took(Operation done) {
                if (!loops.get(turn[0]).inLoop()) {
                    errors.add(new AssertionError("told on " + Thread.currentThread()));
                }
                return 0;
            }
        };
        Operation operation = Operation.of(race::told);
        Thread canceller = new Thread(() -> {
            while (!over.get()) {
                operation.cancel();
                if (!operation.isPending()) {
                    LockSupport.parkNanos(1_000);
                }
            }
        });
        canceller.start();
        for (long i = 1; i <= races(); i++) {
            race.start(operation);
            race.await(i);
        }
        over.set(true);
        canceller.join(LIMIT.toMillis());
        assertEquals(races(), race.cancelled);
        assertTrue(errors.isEmpty(), errors::toString);
    }
}
