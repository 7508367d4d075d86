package dev.carillon.shm.doorbell;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.test.Ballast;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.proc.Descriptors;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ends and regions that are made or closed where heap or stack is short, each in a VM of its own. */
final class BellCloseIT {
    // r[verify shm.doorbell.nothing-left]
    @Test
    void thePeerLearnsOfAnEndThatWasClosedAgainAfterAFullHeap() {
        ChildJvm.of(FullHeap.class)
                .vmFlags("-Xmx16m", "-XX:+UseSerialGC", "-XX:-UseTLAB", "-XX:-UseGCOverheadLimit")
                .run(Bells.LIMIT)
                .assertPrintedOnly("20 deaths, 0 leaked");
    }

    // r[verify shm.doorbell.nothing-left] r[verify memory.close.once] r[verify memory.nothing-left]
    @ParameterizedTest
    @CsvSource({
        "-Xint, CLOSE_BELL",
        "-Xmixed, CLOSE_BELL",
        "-Xint, CLOSE_REGION",
        "-Xmixed, CLOSE_REGION",
        "-Xint, MAKE_BELL",
        "-Xmixed, MAKE_BELL",
        "-Xint, MAKE_REGION",
        "-Xmixed, MAKE_REGION",
    })
    void atTheEndOfTheStackNoDescriptorIsLost(String mode, Act act) {
        ChildJvm.of(FullStack.class)
                .vmFlags(mode)
                .args(act.name())
                .run(Bells.LIMIT)
                .assertPrintedOnly("0 left");
    }

    /** What is done near the end of the stack. */
    enum Act {
        CLOSE_BELL,
        CLOSE_REGION,
        MAKE_BELL,
        MAKE_REGION;

        AutoCloseable make() {
            return this == CLOSE_BELL || this == MAKE_BELL ? Doorbell.pair() : MemoryRegion.memfd("region", 4096);
        }

        boolean isMaking() {
            return this == MAKE_BELL || this == MAKE_REGION;
        }
    }

    static final class FullHeap {
        private static final int COUNT = 20;

        public static void main(String[] args) throws Exception {
            warmUp();
            long leaked = MemoryRegion.stats().leaked();
            DoorbellPair[] pairs = Stream.generate(Doorbell::pair).limit(COUNT).toArray(DoorbellPair[]::new);
            MemoryRegion[] regions = Stream.generate(() -> MemoryRegion.memfd("region", 4096))
                    .limit(COUNT)
                    .toArray(MemoryRegion[]::new);
            Object[] taken = new Object[400_000];
            Ballast.fill(taken);
            int refused = 0;
            for (int i = 0; i < COUNT; i++) {
                refused += closed(pairs[i].host()) ? 0 : 1;
                refused += closed(regions[i]) ? 0 : 1;
            }
            System.gc(); // which must not take a region for one that nobody closes
            Arrays.fill(taken, null);
            System.err.println(refused + " closes found no memory");
            int deaths = 0;
            for (int i = 0; i < COUNT; i++) {
                pairs[i].host().close();
                regions[i].close();
                deaths += pairs[i].guest().poll() == DoorbellEvent.PEER_GONE ? 1 : 0;
            }
            System.out.println(deaths + " deaths, " + (MemoryRegion.stats().leaked() - leaked) + " leaked");
        }

        private static void warmUp() throws Exception {
            for (Act act : Act.values()) {
                act.make().close();
            }
        }

        private static boolean closed(AutoCloseable resource) throws Exception {
            try {
                resource.close();
                return true;
            } catch (OutOfMemoryError full) {
                return false;
            }
        }
    }

    static final class FullStack {
        private static final int LEVELS = 250;
        private static final int ROUNDS = 4;

        public static void main(String[] args) throws Exception {
            Act act = Act.valueOf(args[0]);
            act.make().close();
            int before = Descriptors.count();
            for (int round = 0; round < ROUNDS; round++) {
                AutoCloseable[] resources = new AutoCloseable[LEVELS];
                if (!act.isMaking()) {
                    Arrays.setAll(resources, i -> act.make());
                }
                Thread thread = new Thread(null, () -> climb(act, resources, 1), "climber", 200 * 1024 + round * 4096);
                thread.start();
                thread.join();
                for (AutoCloseable resource : resources) {
                    if (resource != null) {
                        resource.close();
                    }
                }
            }
            Descriptors.printLeft(before);
        }

        /** Runs into the end of the stack, and acts at each level on the way back. The stack ends before the numbers. */
        private static int climb(Act act, AutoCloseable[] resources, int level) {
            if (level == Integer.MAX_VALUE) {
                return 0;
            }
            int left;
            try {
                left = climb(act, resources, level + 1);
            } catch (StackOverflowError end) {
                left = 0;
            }
            if (left < LEVELS) {
                try {
                    if (act.isMaking()) {
                        resources[left] = act.make();
                    } else {
                        resources[left].close();
                    }
                } catch (StackOverflowError refused) {
                    return left + 1;
                } catch (Exception failure) {
                    throw new IllegalStateException(failure);
                }
            }
            return left + 1;
        }
    }
}
