package dev.carillon.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The room that is promised is there, whoever has compiled the one who asks. */
final class StackRoomIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String FLAG_OF_ALL = "-XX:+UseSerialGC";

    // r[verify loop.overflow]
    @ParameterizedTest
    @ValueSource(
            strings = {
                FLAG_OF_ALL,
                "-Xint",
                "-Xcomp",
                "-XX:TieredStopAtLevel=1",
                "-XX:-TieredCompilation",
            })
    void whoeverIsGrantedRoomHasIt(String mode) {
        ChildJvm child = ChildJvm.of(Climber.class)
                .vmFlags(
                        mode,
                        "-XX:MaxJavaStackTraceDepth=8",
                        "-XX:CompileCommand=quiet",
                        "-XX:CompileCommand=exclude," + User.class.getName() + "::use");
        ChildExit exit = child.run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
        exit.assertPrinted("all had it");
    }

    /** Never compiled, so that all its frames are of one size. */
    static final class User {
        static int use(int frames) {
            return frames == 0 ? 0 : 1 + use(frames - 1);
        }
    }

    static final class Climber {
        /** What an interpreted frame of User.use takes, in bytes. */
        private static final int FRAME = 104;

        private static final int NEAR_THE_END = 600;
        private static int granted;
        private static int overflown;
        private static int levels;

        public static void main(String[] args) throws Exception {
            // To load a class takes more.
            User.use(1);
            StackRoom.ensure();
            int frames = StackRoom.BYTES / FRAME * 3 / 4;
            for (int i = 0; i < 20; i++) {
                inThread(200 * 1024 + i * 4096, () -> levels += climb(frames));
            }
            boolean all = granted > NEAR_THE_END && overflown == 0;
            String counts = overflown + " of " + granted + " had no room, frames=" + frames + ", levels=" + levels;
            System.out.println(all ? "all had it" : counts);
        }

        /** On its way back from the end of the stack it asks for room at each level, and uses what it is granted. */
        private static int climb(int frames) {
            if (frames < 0) {
                return 0; // never: the compiler wants an end that it can see
            }
            int left;
            try {
                left = climb(frames);
            } catch (StackOverflowError end) {
                left = 0;
            }
            if (left < NEAR_THE_END && isGranted()) {
                granted++;
                try {
                    User.use(frames);
                } catch (StackOverflowError noRoom) {
                    overflown++;
                }
            }
            return left + 1;
        }

        private static boolean isGranted() {
            try {
                StackRoom.ensure();
                return true;
            } catch (StackOverflowError refused) {
                return false;
            }
        }

        private static void inThread(int stack, Runnable action) throws InterruptedException {
            Thread thread = new Thread(null, action, "climber", stack);
            thread.start();
            thread.join();
        }
    }
}
