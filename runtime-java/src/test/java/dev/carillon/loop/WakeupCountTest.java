package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.Deadline;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * How often the kernel is called to wake a loop. The kernel counts: an eventfd that nobody reads holds the sum of what was
 * written to it, and /proc shows that.
 */
class WakeupCountTest {
    private static final int POSTS = 1_000_000;
    private static final String COUNT = "eventfd-count:";

    // r[verify loop.wakeup]
    @Test
    void aMillionPostsCostAWriteForEachParkAtMost() throws Exception {
        Set<Path> before = counts().keySet();
        try (EventLoop loop = EventLoop.open(
                EventLoopOptions.builder().backend(BackendKind.EPOLL).build())) {
            Map<Path, Long> bells = counts();
            bells.keySet().removeAll(before);
            assertEquals(1, bells.size(), () -> "the eventfd of the loop among " + bells);
            Path bell = bells.keySet().iterator().next();
            loop.start();

            CountDownLatch ran = new CountDownLatch(1);
            int[] left = {POSTS};
            for (int i = 0; i < POSTS; i++) {
                loop.execute(() -> {
                    if (--left[0] == 0) {
                        ran.countDown();
                    }
                });
            }
            assertTrue(ran.await(60, TimeUnit.SECONDS), () -> left[0] + " posts did not run");

            // In this order: parks and writes go on, one by one, if the loop is woken once more.
            long written = Objects.requireNonNull(counts().get(bell), "the eventfd is open");
            // The loop counts a park when others may write for it already.
            Deadline.after(LoopCase.LIMIT)
                    .await(
                            "no write is without a park",
                            () -> written <= loop.stats().parks());
            LoopStats stats = loop.stats();
            assertEquals(written, stats.wakeupsWritten());
            System.out.println(POSTS + " posts: " + stats.parks() + " parks, " + written + " writes to the eventfd");
        }
    }

    /** The count of each eventfd of this process. */
    private static Map<Path, Long> counts() throws IOException {
        Map<Path, Long> counts = new HashMap<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fdinfo"))) {
            for (Path descriptor : descriptors) {
                count(descriptor).ifPresent(count -> counts.put(descriptor, count));
            }
        }
        return counts;
    }

    private static Optional<Long> count(Path descriptor) throws IOException {
        try {
            return Files.readAllLines(descriptor).stream()
                    .filter(line -> line.startsWith(COUNT))
                    .map(line -> Long.parseLong(line.substring(COUNT.length()).strip(), 16))
                    .findFirst();
        } catch (IOException closedMeanwhile) {
            // One that is closed between the open and the read of its file is told by the errno alone.
            if (Files.exists(descriptor)) {
                throw closedMeanwhile;
            }
            return Optional.empty();
        }
    }
}
