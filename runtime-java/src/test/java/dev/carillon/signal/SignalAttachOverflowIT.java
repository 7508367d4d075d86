package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A thread that attaches and closes at each depth near the end of its stack. */
final class SignalAttachOverflowIT {
    private static final Duration LIMIT = Duration.ofSeconds(100);

    // r[verify signal.attach]
    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-XX:+UseSerialGC"})
    void anAttachThatRunsOutOfStackLeavesItsSignalToOthers(String flag) {
        // The VM looks at each frame of the stack before it throws.
        ChildJvm child = ChildJvm.of(Attaches.class).vmFlags(flag, "-XX:MaxJavaStackTraceDepth=8");
        ChildExit exit = child.run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
        exit.assertPrinted("it can be attached, nobody has it");
    }

    static final class Attaches {
        private static final int LEVELS = 1600;
        private static final int THREADS = 2;
        private static final SignalSet SIGNALS = SignalSet.of(Signal.SIGUSR1);
        private static @Nullable SignalService held;
        private static @Nullable String refused;
        private static int attached;
        private static int overflown;

        private Attaches() {}

        public static void main(String[] args) throws Exception {
            EventLoop opened = EventLoop.open(
                            EventLoopOptions.builder().daemon(true).build())
                    .start();
            // To load a class takes more stack.
            SignalService.attach(opened, SIGNALS).close();
            for (int i = 0; i < THREADS; i++) {
                Thread thread = new Thread(null, () -> climb(opened), "climber", 300 * 1024 + i * 4096);
                thread.start();
                thread.join();
            }
            SignalService last = held;
            if (last != null) {
                last.close();
            }
            System.out.println("attached " + attached + ", overflown " + overflown);
            if (refused != null) {
                throw new AssertionError("an attach was refused: " + refused);
            }
            if (attached == 0 || overflown == 0) {
                throw new AssertionError("nothing was tried");
            }
            SignalService.attach(opened, SIGNALS).close();
            System.out.println(
                    SignalService.attachedOn(opened).isEmpty()
                            ? "it can be attached, nobody has it"
                            : "left: " + SignalService.attachedOn(opened));
            opened.close();
        }

        private static void climb(EventLoop loop) {
            int unused = climb(loop, 0);
        }

        /** The stack ends long before the numbers do. On the way back it acts at each level. */
        private static int climb(EventLoop loop, int level) {
            if (level == Integer.MAX_VALUE) {
                return 0;
            }
            int left;
            try {
                left = climb(loop, level + 1);
            } catch (StackOverflowError end) {
                left = 0;
            }
            if (left < LEVELS) {
                try {
                    act(loop);
                } catch (StackOverflowError noRoom) {
                    overflown++;
                } catch (IllegalStateException taken) {
                    refused = taken.getMessage();
                }
            }
            return left + 1;
        }

        private static void act(EventLoop loop) {
            SignalService last = held;
            if (last == null) {
                held = SignalService.attach(loop, SIGNALS);
                attached++;
            } else {
                last.close();
                held = null;
            }
        }
    }
}
