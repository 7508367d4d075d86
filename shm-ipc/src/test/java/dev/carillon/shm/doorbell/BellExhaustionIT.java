package dev.carillon.shm.doorbell;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.Errno;
import dev.carillon.sys.call.Limit;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.LoadedClasses;
import dev.carillon.test.proc.Descriptors;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** No descriptors, or no memory, for what a doorbell needs. */
final class BellExhaustionIT {
    private static void runToSuccess(ChildJvm child) {
        ChildExit exit = child.run(Bells.LIMIT.multipliedBy(3));
        assertEquals(0, exit.code(), exit::toString);
    }

    private static void require(boolean fact, String otherwise) {
        if (!fact) {
            throw new IllegalStateException(otherwise);
        }
    }

    // r[verify shm.doorbell.watch-fails]
    @Test
    void aLoopThatCannotWatchTellsWhoWaits() {
        runToSuccess(ChildJvm.of(NoDescriptor.class));
    }

    // r[verify shm.doorbell.nothing-left]
    @Test
    void anOutOfMemoryErrorLeavesNoDescriptor() {
        runToSuccess(ChildJvm.of(NoMemory.class).vmFlags("-XX:MaxDirectMemorySize=2m"));
    }

    static final class NoDescriptor {
        private static final int RLIMIT_NOFILE = 7;

        public static void main(String[] args) {
            try (EventLoop loop = EventLoop.open().start();
                    DoorbellPair warm = Doorbell.pair();
                    DoorbellPair pair = Doorbell.pair()) {
                warm.host().ring();
                Futures.get(warm.guest().onLoop(loop).awaitEventAsync());
                CompletableFuture<Throwable> nothingThere = new CompletableFuture<>();
                loop.watch(999_999, () -> {}, nothingThere::complete);
                Futures.get(nothingThere);
                LoadedClasses.of(BellExhaustionIT.class, Doorbell.class, EventLoop.class);
                Sys sys = Sys.get();
                Limit before = sys.processes().limit(RLIMIT_NOFILE);
                sys.processes().setLimit(RLIMIT_NOFILE, new Limit(3, before.hard()));
                AsyncDoorbell unwatched = pair.guest().onLoop(loop);
                Throwable told = Futures.failureOf(unwatched.awaitEventAsync());
                Throwable again = Futures.failureOf(unwatched.awaitEventAsync());
                sys.processes().setLimit(RLIMIT_NOFILE, before);
                require(told instanceof SyscallException failure && failure.errno() == Errno.EMFILE, told.toString());
                require(String.valueOf(told.getMessage()).contains("watch of fd="), told.toString());
                require(String.valueOf(told.getMessage()).contains("raise the limit (ulimit -n)"), told.toString());
                require(again == told, again.toString());
                require(!pair.guest().isOpen(), "it is open");
                require(pair.host().poll() == DoorbellEvent.PEER_GONE, "the peer is not told");
            }
            System.exit(0);
        }
    }

    static final class NoMemory {
        /** The JDK looks for direct memory for half a second before it gives up. */
        private static final int ROUNDS = 4;

        public static void main(String[] args) throws InterruptedException {
            try (DoorbellPair warm = Doorbell.pair()) {
                warm.host().ring();
                warm.guest().await(Duration.ofMillis(1));
            }
            List<ByteBuffer> hoard = new ArrayList<>();
            int before = Descriptors.count();
            try (DoorbellPair pair = Doorbell.pair()) {
                fill(hoard);
                for (int i = 0; i < ROUNDS; i++) {
                    try {
                        pair.guest().await(Duration.ofMillis(1));
                        require(false, "there was memory");
                    } catch (OutOfMemoryError expected) {
                        require(pair.guest().isOpen(), "it is closed");
                    }
                }
                require(Descriptors.count() == before + 2, "left: " + (Descriptors.count() - before - 2));
                hoard.clear();
                Deadline.after(Bells.LIMIT).await("there is memory again", NoMemory::isThereMemory);
                pair.host().ring();
                require(pair.guest().await(Bells.LIMIT) == DoorbellEvent.RUNG, "it does not work any more");
            }
        }

        /** The JDK's threads give it back some time after a collection, for which it asks by itself. */
        private static boolean isThereMemory() {
            try {
                return ByteBuffer.allocateDirect(1 << 20).hasRemaining();
            } catch (OutOfMemoryError notYet) {
                return false;
            }
        }

        private static void fill(List<ByteBuffer> hoard) {
            for (int size = 1 << 20; size > 0; size >>= 5) {
                boolean full = false;
                while (!full) {
                    try {
                        hoard.add(ByteBuffer.allocateDirect(size));
                    } catch (OutOfMemoryError expected) {
                        full = true;
                    }
                }
            }
        }
    }
}
