package dev.carillon.benchmarks.wake;

import dev.carillon.benchmarks.worker.Figures;
import dev.carillon.benchmarks.worker.Stage;
import dev.carillon.benchmarks.worker.Work;
import dev.carillon.benchmarks.worker.Workload;
import dev.carillon.futex.EventCount;
import dev.carillon.futex.FutexWord;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.doorbell.DoorbellPair;
import java.util.Map;

/** Round trips of two threads that sleep in between, over memory and sockets that processes could share as well. */
public final class WakeWorkload implements Workload {
    private static final int PAGE = 4_096;
    private static final int APART = 128;
    private static final long NEVER = Long.MAX_VALUE;
    private static final int WARM_UP = 20_000;

    @Override
    public Map<String, Opener> works() {
        return Map.of(
                "futex", stage -> warm(new Futex(stage)),
                "event-count", stage -> warm(new Events(stage)),
                "doorbell", stage -> warm(new Bell(stage)));
    }

    static Work warm(Work work) throws Exception {
        work.round(WARM_UP, new Figures());
        return work;
    }

    /** One word for each direction. */
    private static final class Futex implements Work {
        private final MemoryRegion region = MemoryRegion.memfd("wake", PAGE);
        private final FutexWord ping = FutexWord.at(region, 0);
        private final FutexWord pong = FutexWord.at(region, APART);
        private final Partner partner;
        private int sent;
        private int answered;

        Futex(Stage stage) {
            partner = Partner.start(stage, this::answer);
        }

        private void answer() throws InterruptedException {
            awaitOther(ping, answered);
            answered++;
            pong.putRelease(answered);
            pong.wakeOne();
        }

        private static void awaitOther(FutexWord word, int than) throws InterruptedException {
            while (word.getAcquire() == than) {
                word.await(than, NEVER);
            }
        }

        private void trip() throws InterruptedException {
            sent++;
            ping.putRelease(sent);
            ping.wakeOne();
            awaitOther(pong, sent - 1);
        }

        @Override
        public void round(long ops, Figures figures) throws InterruptedException {
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                trip();
            }
            figures.nanos(System.nanoTime() - start);
        }

        @Override
        public void close() {
            partner.stopAfterNext();
            ping.putRelease(sent + 1);
            ping.wakeOne();
            partner.join();
            region.close();
        }
    }

    /** One event count for each direction, as a link has them. */
    private static final class Events implements Work {
        private final MemoryRegion region = MemoryRegion.memfd("wake", PAGE);
        private final EventCount pinged = EventCount.at(region, 0);
        private final EventCount ponged = EventCount.at(region, APART);
        private final FutexWord ping = FutexWord.at(region, 2 * APART);
        private final FutexWord pong = FutexWord.at(region, 3 * APART);
        private final Partner partner;
        private int sent;
        private int answered;

        Events(Stage stage) {
            partner = Partner.start(stage, this::answer);
        }

        private void answer() throws InterruptedException {
            awaitOther(pinged, ping, answered);
            answered++;
            pong.putRelease(answered);
            ponged.signal();
        }

        private static void awaitOther(EventCount event, FutexWord word, int than) throws InterruptedException {
            while (word.getAcquire() == than) {
                int key = event.prepare();
                if (word.getAcquire() == than) {
                    event.await(key, NEVER);
                }
            }
        }

        @Override
        public void round(long ops, Figures figures) throws InterruptedException {
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                sent++;
                ping.putRelease(sent);
                pinged.signal();
                awaitOther(ponged, pong, sent - 1);
            }
            figures.nanos(System.nanoTime() - start);
        }

        @Override
        public void close() {
            partner.stopAfterNext();
            ping.putRelease(sent + 1);
            pinged.signal();
            partner.join();
            region.close();
        }
    }

    /** A ring each way. */
    private static final class Bell implements Work {
        private final DoorbellPair pair = Doorbell.pair();
        private final Partner partner;

        Bell(Stage stage) {
            partner = Partner.start(stage, this::answer);
        }

        private void answer() throws InterruptedException {
            pair.guest().await();
            pair.guest().ring();
        }

        @Override
        public void round(long ops, Figures figures) throws InterruptedException {
            Doorbell bell = pair.host();
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                bell.ring();
                bell.await();
            }
            figures.nanos(System.nanoTime() - start);
        }

        @Override
        public void close() {
            partner.stopAfterNext();
            pair.host().ring();
            partner.join();
            pair.close();
        }
    }
}
