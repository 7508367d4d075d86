package dev.carillon.futex;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Jdk;
import dev.carillon.test.proc.Descriptors;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The VM tells compiled code of a lost page when it likes; wherever that is, no descriptor stays open. */
final class LateFaultIT {
    private static final Duration LIMIT = Duration.ofSeconds(100);

    @TempDir
    Path folder;

    /** A JDK 17 may throw it at the entry of any method, also of the close or of this test: then nothing can be promised. */
    static Stream<Arguments> vms() {
        return Stream.concat(Stream.of(Jdk.current()), Jdk.second().stream())
                .distinct()
                .flatMap(jdk -> Stream.of("threads", "looks", "questions", "closes", "waits", "wakes")
                        .limit(jdk.feature() < 25 ? 2 : 6)
                        .map(use -> Arguments.of(jdk, use)));
    }

    // r[verify memory.close.once] r[verify futex.truncation]
    @ParameterizedTest
    @MethodSource("vms")
    void aFaultThatComesLateLeavesNoDescriptorOpenAndNoThreadInside(Jdk jdk, String use) {
        ChildExit exit =
                ChildJvm.of(Rounds.class).jdk(jdk).args(folder.toString(), use).run(LIMIT);
        assertEquals(0, exit.code(), exit::toString);
    }

    /** Truncates the file of a region, uses the lost page, and closes the region, again and again. */
    static final class Rounds {
        private static final int PAGE = 4_096;
        private static final int ROUNDS = 400;
        private static final int LOOKS = 20;
        private static final int ENOUGH_TO_COMPILE = 200_000;

        public static void main(String[] args) throws Exception {
            Path file = Path.of(args[0], "file-" + ProcessHandle.current().pid());
            for (int round = 0; round < ROUNDS; round++) {
                try (MemoryRegion region = MemoryRegion.createFile(file, 2 * PAGE)) {
                    FutexWord word = new FutexWord(region, PAGE, WatchedSleep.all());
                    if (round == 0) {
                        compile(region, word);
                    }
                    use(args[1], region, word, file);
                } catch (InternalError late) {
                    // The close has told of it, and has closed nevertheless.
                }
                Files.delete(file);
            }
            List<String> left = openUnder(file);
            if (!left.isEmpty()) {
                throw new AssertionError(left.size() + " descriptors of " + ROUNDS + " are open: " + left.get(0));
            }
        }

        private static void compile(MemoryRegion region, FutexWord word) {
            for (int look = 0; look < ENOUGH_TO_COMPILE; look++) {
                word.word().look();
                ask(region, word);
                waitForNothing(word);
                wakeNobody(word);
            }
        }

        private static void use(String use, MemoryRegion region, FutexWord word, Path file) throws Exception {
            List<Waiting> waiting = use.equals("threads") ? List.of(asleep(word), asleep(word)) : List.of();
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(PAGE);
            }
            switch (use) {
                case "threads" -> waiting.forEach(Rounds::ended);
                case "looks" -> refused(() -> word.word().look());
                case "questions" -> refused(() -> ask(region, word));
                case "waits" -> refused(() -> waitForNothing(word));
                case "wakes" -> refused(() -> wakeNobody(word));
                default -> word.get();
            }
        }

        private static boolean ask(MemoryRegion region, FutexWord word) {
            return word.get() == 0 && region.isTruncated();
        }

        private static void waitForNothing(FutexWord word) {
            try {
                if (word.get() == 0) {
                    word.await(1, Long.MAX_VALUE);
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        private static void wakeNobody(FutexWord word) {
            if (word.get() == 0) {
                word.wakeAll();
            }
        }

        private static Waiting asleep(FutexWord word) {
            Waiting waiting = new Waiting(() -> word.await(0, Long.MAX_VALUE));
            while (waiting.thread.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            return waiting;
        }

        private static void ended(Waiting waiting) {
            try {
                waiting.failure();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }

        private static void refused(Runnable look) {
            for (int turn = 0; turn < LOOKS; turn++) {
                try {
                    look.run();
                } catch (RegionTruncatedException | InternalError expected) {
                    // It may also come as a value that is no more worth anything.
                }
            }
        }

        private static List<String> openUnder(Path file) {
            return Descriptors.open().values().stream()
                    .filter(target -> target.startsWith(file.toString()))
                    .toList();
        }
    }
}
