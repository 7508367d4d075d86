package dev.carillon.sys;

import dev.carillon.test.Ballast;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.Descriptors;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Closes that the VM cannot make at first, each in a VM of its own. */
final class FdOwedIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    // r[verify sys.fd-owed]
    @ParameterizedTest
    @ValueSource(strings = {"close", "closeInBackground", "release"})
    void aCloseThatFindsNoHeapIsMadeByTheNext(String how) {
        ChildJvm.of(FullHeap.class)
                .args(how)
                .vmFlags("-Xmx16m", "-XX:+UseSerialGC", "-XX:-UseTLAB", "-XX:-UseGCOverheadLimit")
                .run(LIMIT)
                .assertPrintedOnly("0 left");
    }

    // r[verify sys.fd-owed]
    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-Xmixed"})
    void aCloseAtTheEndOfTheStackLosesNoDescriptor(String mode) {
        ChildJvm.of(FullStack.class).vmFlags(mode).run(LIMIT).assertPrintedOnly("0 left");
    }

    // r[verify sys.fd-owed]
    @Test
    void anotherCloseMakesUpForOneThatFoundNoHeap() {
        ChildJvm.of(FullHeap.class)
                .args("another")
                .vmFlags("-Xmx16m", "-XX:+UseSerialGC", "-XX:-UseTLAB", "-XX:-UseGCOverheadLimit")
                .run(LIMIT)
                .assertPrintedOnly("0 left");
    }

    /** Nothing is free when it closes, and all is when it closes again. */
    static final class FullHeap {
        private static final int COUNT = 40;

        public static void main(String[] args) {
            LibC libc = LibC.get();
            Fd[] fds = events(libc, 3);
            for (Fd fd : fds) {
                fd.acquire();
                fd.close();
                fd.release();
            }
            Fd[] warm = events(libc, 3);
            Set<Integer> numbers = new TreeSet<>();
            for (Fd fd : warm) {
                numbers.add(fd.acquire());
                fd.release();
                fd.closeInBackground();
            }
            Deadline.after(LIMIT).await("they are closed", () -> isNoneOpen(numbers));
            int before = Descriptors.count();
            fds = events(libc, COUNT);
            Fd other = events(libc, 1)[0];
            if (args[0].equals("release")) {
                for (Fd fd : fds) {
                    fd.acquire();
                    fd.close();
                }
            }
            int refused = closeInFullHeap(fds, args[0]);
            System.err.println(refused + " of " + COUNT + " found no memory");
            other.close();
            if (!args[0].equals("another")) {
                for (Fd fd : fds) {
                    fd.close();
                }
            }
            Descriptors.printLeft(before);
        }

        private static boolean isNoneOpen(Set<Integer> numbers) {
            Map<Integer, String> open = Descriptors.open();
            return numbers.stream()
                    .noneMatch(number -> open.getOrDefault(number, "").contains("[eventfd]"));
        }

        private static int closeInFullHeap(Fd[] fds, String how) {
            Object[] taken = new Object[400_000];
            Consumer<Fd> closing = switch (how) {
                case "closeInBackground" -> Fd::closeInBackground;
                case "release" -> Fd::release;
                default -> Fd::close;
            };
            Ballast.fill(taken);
            int refused = 0;
            for (int i = 0; i < fds.length; i++) {
                try {
                    closing.accept(fds[i]);
                } catch (OutOfMemoryError full) {
                    refused++;
                }
            }
            Arrays.fill(taken, null);
            return refused;
        }
    }

    /** Each of them is closed at another depth near the end of the stack, and then again where there is room. */
    static final class FullStack {
        private static final int COUNT = 400;

        public static void main(String[] args) throws InterruptedException {
            LibC libc = LibC.get();
            Arrays.stream(events(libc, 3)).forEach(Fd::close);
            int before = Descriptors.count();
            for (int round = 0; round < 4; round++) {
                Fd[] fds = events(libc, COUNT);
                Thread thread = new Thread(null, () -> climb(fds, 1), "climber", 200 * 1024 + round * 4096);
                thread.start();
                thread.join();
                for (Fd fd : fds) {
                    fd.close();
                }
            }
            Descriptors.printLeft(before);
        }

        /** Runs into the end of the stack, and closes one at each level on the way back. The stack ends before the numbers. */
        private static int climb(Fd[] fds, int level) {
            if (level == Integer.MAX_VALUE) {
                return 0;
            }
            int left;
            try {
                left = climb(fds, level + 1);
            } catch (StackOverflowError end) {
                left = 0;
            }
            if (left < fds.length) {
                try {
                    fds[left].close();
                } catch (StackOverflowError refused) {
                    return left + 1;
                }
            }
            return left + 1;
        }
    }

    private static Fd[] events(LibC libc, int count) {
        return Stream.generate(() -> Fd.owning(libc, libc.eventfd(0, 0)))
                .limit(count)
                .toArray(Fd[]::new);
    }
}
