package dev.carillon.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.sys.LibC;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Deadline;
import dev.carillon.test.LoadedClasses;
import dev.carillon.test.Seeded;
import dev.carillon.test.proc.Descriptors;
import java.time.Duration;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A start, or a watch, amid which memory runs out, at any place. */
final class SpawnMemoryIT {
    // r[verify process.no-leak] r[verify sys.owned]
    @Test
    void whereverMemoryRunsOutAStartLeavesNeitherDescriptorNorChild(@Seeded long seed) {
        assertLeavesNothing("start", 48, seed);
    }

    // r[verify process.no-leak] r[verify process.group]
    @Test
    void whereverMemoryRunsOutAStartInAGroupLeavesNeitherDescriptorNorChild(@Seeded long seed) {
        assertLeavesNothing("group", 48, seed);
    }

    // r[verify process.watch-refused] r[verify sys.owned]
    @Test
    void whereverMemoryRunsOutAWatchLeavesNoDescriptor(@Seeded long seed) {
        assertLeavesNothing("watch", 16, seed);
    }

    private static void assertLeavesNothing(String what, int step, long seed) {
        // Through java.lang.foreign a call that is not compiled yet needs memory itself, also one that closes.
        ChildExit exit = ChildJvm.of(Starved.class)
                .vmFlags("-Xmx12m", "-XX:+UseSerialGC", "-XX:-UseTLAB", "-Xint", "-Dcarillon.libc=jna")
                .args(Long.toString(seed), what, Integer.toString(step))
                .run(Running.LIMIT.multipliedBy(3));
        assertEquals(0, exit.code(), exit::toString);
        assertEquals("descriptors 0, children 0", exit.stdout().get(1), exit::toString);
        assertTrue(Integer.parseInt(exit.stdout().get(0).replaceAll("\\D", "")) > 20, exit::toString);
    }

    /** Starts children, or watches this process, with a little more memory each time. */
    static final class Starved {
        private static final int ENOUGH = 5;
        private static final long OWN = ProcessHandle.current().pid();
        private static @Nullable Object @Nullable [] fill;

        private Starved() {}

        public static void main(String[] args) throws Exception {
            LoadedClasses.of(SpawnMemoryIT.class, LibC.class);
            SplittableRandom random = new SplittableRandom(Long.parseLong(args[0]));
            int step = Integer.parseInt(args[2]);
            int failed = 0;
            // Nobody runs it: its thread would run out of memory, too.
            EventLoop loop = EventLoop.open();
            for (int i = 0; i < 3; i++) {
                close(open(loop, args[1]));
                awaitChildren(loop);
            }
            int before = Descriptors.count();
            int succeeded = 0;
            for (int attempt = 0; succeeded < ENOUGH; attempt++) {
                boolean started = startWith(loop, args[1], attempt * step + random.nextInt(step));
                failed += started ? 0 : 1;
                succeeded = started ? succeeded + 1 : 0;
                awaitChildren(loop);
            }
            loop.runUntilEmpty();
            System.out.println("failed " + failed);
            System.out.println("descriptors " + (Descriptors.count() - before) + ", children "
                    + ProcessHandle.current().children().count());
            loop.close();
        }

        private static void awaitChildren(EventLoop loop) {
            Deadline.after(Running.LIMIT).await("all children have ended", () -> {
                loop.runUntilEmpty();
                return ProcessHandle.current().children().findAny().isEmpty();
            });
        }

        private static AutoCloseable open(EventLoop loop, String what) {
            if (what.equals("watch")) {
                return ProcessWatch.of(loop, OWN);
            }
            if (what.equals("group")) {
                return Spawn.command("true")
                        .arg0("bell")
                        .ownGroup()
                        .endWithLoop(Duration.ZERO)
                        .stdout(Stdio.of(1))
                        .stderr(Stdio.sameAsStdout())
                        .start(loop);
            }
            return Spawn.command("true")
                    .stdin(Stdio.pipe())
                    .stdout(Stdio.pipe())
                    .stderr(Stdio.pipe())
                    .start(loop);
        }

        /** Takes all memory but so much, and starts; false if memory ran out. */
        private static boolean startWith(EventLoop loop, String what, int free) throws Exception {
            // In an array: the interpreter keeps what a local variable names until the method returns.
            fill = new @Nullable Object[] {null, null, new byte[free]};
            @Nullable Object[] ballast = fill;
            fillUp(256 * 1_024);
            fillUp(8 * 1_024);
            fillUp(512);
            fillUp(16);
            ballast[2] = null;
            AutoCloseable opened = null;
            try {
                opened = open(loop, what);
            } catch (OutOfMemoryError full) {
                return false;
            } finally {
                fill = null;
                if (opened != null) {
                    close(opened);
                }
            }
            return true;
        }

        private static void close(AutoCloseable opened) throws Exception {
            if (opened instanceof Child child) {
                child.kill();
            }
            opened.close();
        }

        private static void fillUp(int size) {
            try {
                while (true) {
                    @Nullable Object[] next = new @Nullable Object[2];
                    next[1] = new byte[size];
                    next[0] = fill;
                    fill = next;
                }
            } catch (OutOfMemoryError full) {
                // That is what is wanted.
                return;
            }
        }
    }
}
