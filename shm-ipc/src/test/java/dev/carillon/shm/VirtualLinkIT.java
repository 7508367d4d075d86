package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.carillon.shm.LinkMemory.Side;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Jdk;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Virtual threads that wait on links, on a JDK that has them, with two carriers for all of them. */
final class VirtualLinkIT {
    // r[verify futex.virtual]
    @Test
    void aThousandVirtualThreadsWaitOnLinksAndOthersRun() {
        Optional<Jdk> jdk = Stream.concat(Stream.of(Jdk.current()), Jdk.second().stream())
                .filter(one -> one.feature() >= 21)
                .findFirst();
        assumeTrue(jdk.isPresent(), "needs a JDK with virtual threads, from 21 on");
        ChildExit exit = ChildJvm.of(Thousand.class)
                .jdk(jdk.orElseThrow())
                .vmFlags("-Djdk.virtualThreadScheduler.parallelism=2", "-Djdk.virtualThreadScheduler.maxPoolSize=2")
                .run(LIMIT.multipliedBy(3));
        assertEquals(0, exit.code(), exit::toString);
    }

    static final class Thousand {
        private static final int RLIMIT_NOFILE = 7;
        private static final Duration LONG = LIMIT.multipliedBy(20);

        /** Of each link four wait, and it takes some descriptors. */
        private static final int LINKS =
                (int) Math.min(250, (Sys.get().processes().limit(RLIMIT_NOFILE).soft() - 200) / 10);

        private static final CountDownLatch BEGUN = new CountDownLatch(4 * LINKS);
        private static final CountDownLatch RECEIVED = new CountDownLatch(2 * LINKS);
        private static final CountDownLatch SENT = new CountDownLatch(2 * LINKS);

        public static void main(String[] args) throws Exception {
            Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
            List<BareLink> all = new ArrayList<>();
            for (int i = 0; i < LINKS; i++) {
                BareLink links = new BareLink();
                all.add(links);
                for (Side side : Side.values()) {
                    start.invoke(null, (Runnable) () -> receive(links.link(side)));
                }
            }
            for (BareLink links : all) {
                for (Side side : Side.values()) {
                    start.invoke(null, (Runnable) () -> send(links.link(side)));
                }
            }
            require(BEGUN, "those who wait stop others");
            CountDownLatch others = new CountDownLatch(1_000);
            for (int i = 0; i < 1_000; i++) {
                start.invoke(null, (Runnable) others::countDown);
            }
            require(others, "others do not run");
            require(SENT, "they did not send");
            require(RECEIVED, "they did not receive");
            System.exit(0);
        }

        /** As many as the peer sends: its ring is filled more than once. */
        private static void receive(ShmLink link) {
            BEGUN.countDown();
            for (int i = 0; i < 10; i++) {
                if (!"frame".equals(LinkPair.text(Objects.requireNonNull(waitFor(link))))) {
                    throw new IllegalStateException("another frame");
                }
            }
            RECEIVED.countDown();
        }

        private static void send(ShmLink link) {
            BEGUN.countDown();
            try {
                for (int i = 0; i < 10; i++) {
                    if (link.send(text("frame"), LONG) != SendResult.SENT) {
                        throw new IllegalStateException("not sent");
                    }
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts it", e);
            }
            SENT.countDown();
        }

        private static @Nullable Frame waitFor(ShmLink link) {
            try {
                return link.receive(LONG);
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts it", e);
            }
        }

        private static void require(CountDownLatch latch, String otherwise) throws InterruptedException {
            if (!latch.await(20, TimeUnit.SECONDS)) {
                System.out.println(otherwise + ": " + latch.getCount());
                Runtime.getRuntime().halt(1);
            }
        }
    }
}
