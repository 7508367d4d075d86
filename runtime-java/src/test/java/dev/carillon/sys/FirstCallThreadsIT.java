package dev.carillon.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Jdk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The first call of a process that comes while no thread can be made. */
final class FirstCallThreadsIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** One that has no processes, also of another run of this test: the limit counts all threads of the user. */
    private static final int USER = 20_000 + (int) (ProcessHandle.current().pid() % 40_000);

    private static final String CALLED = "called";

    static Stream<Arguments> roomsAndJdks() {
        return Stream.concat(Stream.of(Jdk.current()), Jdk.second().stream())
                .flatMap(jdk -> IntStream.of(0, 2).mapToObj(room -> Arguments.of(room, jdk)));
    }

    // r[verify sys.first-call]
    @ParameterizedTest
    @MethodSource("roomsAndJdks")
    void aFirstCallWithoutAThreadFailsAndIsMadeWhenThereAreSome(int room, Jdk jdk) throws Exception {
        Assumptions.assumeTrue(
                Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "only root can start another user");
        ChildExit exit = ChildJvm.of(Crowded.class)
                .jdk(jdk)
                .vmFlags(
                        "-Dcarillon.libc=jna",
                        "-XX:+UseSerialGC",
                        "-XX:-UseDynamicNumberOfCompilerThreads",
                        "-Xlog:disable")
                .user(USER, USER)
                .prefix("prlimit", "--nproc=120", "--")
                .args(Integer.toString(room))
                .run(LIMIT);
        List<String> lines = exit.stdout();
        assertEquals(4, lines.size(), exit::toString);
        for (String line : lines.subList(0, 2)) {
            assertTrue(line.startsWith("UnsupportedOperationException"), exit::toString);
            assertTrue(line.contains("raise the limit (ulimit -u"), exit::toString);
            assertTrue(line.contains("try again"), exit::toString);
        }
        assertEquals(List.of("available", CALLED), lines.subList(2, 4), exit::toString);
        assertEquals(0, exit.code(), exit::toString);
    }

    /** Starts threads until no more can be started, ends some, makes its first call twice, and again without them. */
    static final class Crowded {
        private static final int STACK = 64 << 10;

        private Crowded() {}

        public static void main(String[] args) throws Exception {
            int room = Integer.parseInt(args[0]);
            List<CountDownLatch> ends = new ArrayList<>();
            List<Thread> crowd = new ArrayList<>();
            try {
                while (true) {
                    CountDownLatch end = new CountDownLatch(1);
                    Thread thread = new Thread(null, () -> await(end), "crowd", STACK);
                    thread.start();
                    ends.add(end);
                    crowd.add(thread);
                }
            } catch (OutOfMemoryError full) {
                end(crowd, ends, 0, room);
            }
            String[] answers = {answer(), answer()};
            end(crowd, ends, room, crowd.size());
            System.out.println(answers[0]);
            System.out.println(answers[1]);
            System.out.println(LibC.availability().isAvailable() ? "available" : LibC.availability());
            System.out.println(answer());
        }

        private static void end(List<Thread> crowd, List<CountDownLatch> ends, int from, int to)
                throws InterruptedException {
            for (int i = from; i < to; i++) {
                ends.get(i).countDown();
                crowd.get(i).join();
            }
        }

        private static void await(CountDownLatch end) {
            try {
                end.await();
            } catch (InterruptedException ends) {
                // Nobody interrupts it.
            }
        }

        private static String answer() {
            try (EventLoop loop = EventLoop.open()) {
                loop.runUntilEmpty();
                return CALLED;
            } catch (RuntimeException | Error failure) {
                return failure.getClass().getSimpleName() + ": " + failure.getMessage();
            }
        }
    }
}
