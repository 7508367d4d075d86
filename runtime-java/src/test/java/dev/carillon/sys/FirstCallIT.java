package dev.carillon.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Jdk;
import dev.carillon.test.LoadedClasses;
import java.io.FileInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The first call of a process that comes while no descriptor is free. */
final class FirstCallIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    static Stream<Jdk> jdks() {
        return Stream.concat(Stream.of(Jdk.current()), Jdk.second().stream());
    }

    // r[verify sys.first-call]
    @ParameterizedTest
    @MethodSource("jdks")
    void aFirstCallWithoutADescriptorFailsAndIsMadeWhenThereAreSome(Jdk jdk) {
        ChildExit exit = ChildJvm.of(Exhausted.class)
                .jdk(jdk)
                // Without these flags the VM opens files for a moment when it likes, and gives their numbers back.
                .vmFlags("-XX:+UseSerialGC", "-XX:-UseDynamicNumberOfCompilerThreads")
                .prefix("sh", "-c", "ulimit -n 200 && exec \"$@\"", "sh")
                .run(LIMIT);
        List<String> lines = exit.stdout();
        assertEquals(4, lines.size(), exit::toString);
        for (String line : lines.subList(0, 2)) {
            assertTrue(line.startsWith("UnsupportedOperationException"), exit::toString);
            assertTrue(line.contains("raise the limit (ulimit -n)"), exit::toString);
            assertTrue(line.contains("try again"), exit::toString);
        }
        assertEquals(List.of("available", "called"), lines.subList(2, 4), exit::toString);
        assertEquals(0, exit.code(), exit::toString);
    }

    /** Opens until no more can be opened, makes its first call twice, and again when there are descriptors. */
    static final class Exhausted {
        private Exhausted() {}

        public static void main(String[] args) throws Exception {
            // The VM opens a file for each class that is not in a jar.
            LoadedClasses.of(FirstCallIT.class, LibC.class);
            List<FileInputStream> taken = new ArrayList<>();
            String[] answers = new String[2];
            try {
                while (true) {
                    taken.add(new FileInputStream("/dev/null"));
                }
            } catch (IOException full) {
                for (int i = 0; i < answers.length; i++) {
                    answers[i] = answer();
                }
            }
            for (FileInputStream each : taken) {
                each.close();
            }
            System.out.println(answers[0]);
            System.out.println(answers[1]);
            System.out.println(LibC.availability().isAvailable() ? "available" : LibC.availability());
            System.out.println(answer());
        }

        private static String answer() {
            try (EventLoop loop = EventLoop.open()) {
                loop.runUntilEmpty();
                return "called";
            } catch (RuntimeException | Error failure) {
                return failure.getClass().getSimpleName() + ": " + failure.getMessage();
            }
        }
    }
}
