package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Very many reads with an idle timeout each, in a VM that collects no garbage. */
final class IdleTimeoutsIT {
    private static final boolean STRESS = Boolean.getBoolean("carillon.stress");
    private static final int READS = STRESS ? 1_000_000 : 20_000;

    // r[verify io.deadline]
    @Test
    void theyAreRenewedAgainAndAgainWithoutGarbage() {
        ChildExit exit = ChildJvm.of(Reads.class)
                .args(Integer.toString(READS))
                .vmFlags("-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC", STRESS ? "-Xmx2g" : "-Xmx256m")
                .run(Duration.ofSeconds(100));
        System.out.println(exit.stdout());
        exit.assertPrinted("done");
        assertEquals(0, exit.code(), exit::toString);
    }

    /** Reads that wait on one socket; each byte ends the first of them, which starts anew behind the others. */
    static final class Reads {
        private static final int ROUNDS = 4;

        /** The counters that the VM itself keeps. */
        private static final long SLACK = 256 << 10;

        private final EventLoop loop = EventLoop.open();
        private final List<StreamSocket> pair = StreamSocket.pair(loop);
        private final ByteBuffer bytes = ByteBuffer.allocateDirect(1024);
        private final Operation write = Operation.of(done -> {});
        private long renewed;

        public static void main(String[] args) {
            int count = Integer.parseInt(args[0]);
            Reads reads = new Reads();
            ByteBuffer memory = ByteBuffer.allocateDirect(count);
            for (int i = 0; i < count; i++) {
                reads.new Read(memory.slice(i, 1)).start();
            }
            // The arrays of the timers have grown to their size after some rounds.
            reads.renew(ROUNDS * (long) count);
            long before = used();
            reads.renew(ROUNDS * (long) count);
            long garbage = used() - before;
            System.out.println(count + " reads, " + reads.renewed + " renewals, " + garbage + " bytes of garbage");
            System.out.println(garbage < SLACK ? "done" : "garbage");
            Runtime.getRuntime().halt(0);
        }

        private static long used() {
            return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        }

        private void renew(long more) {
            long end = renewed + more;
            while (renewed < end) {
                pair.get(0).writeSome(bytes.clear(), write);
                while (write.isPending()) {
                    loop.runSome();
                }
                loop.runUntilEmpty();
            }
        }

        private final class Read implements Completion {
            private final ByteBuffer one;
            private final Operation operation = Operation.of(this).within(Duration.ofHours(1));

            Read(ByteBuffer one) {
                this.one = one;
            }

            void start() {
                pair.get(1).readSome(one.clear(), operation);
            }

            @Override
            public void completed(Operation done) {
                if (done.failure() != null) {
                    throw new AssertionError(done.failure());
                }
                renewed++;
                start();
            }
        }
    }
}
