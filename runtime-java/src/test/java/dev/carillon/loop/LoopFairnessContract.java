package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.io.FileHandle;
import dev.carillon.io.Operation;
import dev.carillon.test.Deadline;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Completions and tasks that never end by themselves, all at once: how long each kind makes the other wait. */
abstract class LoopFairnessContract extends LoopCase {
    private static final int BATCH = 8;
    private static final int COMPLETIONS = 20_000;
    private static final int ON_THEIR_WAY = 100;

    // r[verify loop.fairness]
    @Test
    void completionsAndTasksThatNeverEndMakeEachOtherWaitForABatchOfEachAtMost() {
        EventLoop loop = open(options().batch(BATCH));
        loop.start();
        Course course = new Course();
        List<FileHandle> files = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            files.add(closeLater(get(FileHandle.open(loop, Path.of("/dev/null"), StandardOpenOption.WRITE))));
        }
        on(loop, () -> {
            files.forEach(course::writeForEver);
            course.postForEver(loop);
            return true;
        });
        postFromElsewhere(loop, course);
        Deadline.after(LIMIT).await("all have run", () -> course.isOver);
        assertTrue(on(loop, () -> course.longestOfTasks) <= 2 * BATCH, course::toString);
        assertTrue(on(loop, () -> course.longestOfCompletions) <= BATCH, course::toString);
        assertTrue(on(loop, () -> course.fromElsewhere) > 0, course::toString);
    }

    private static void postFromElsewhere(EventLoop loop, Course course) {
        AtomicInteger onTheirWay = new AtomicInteger();
        Deadline deadline = Deadline.after(LIMIT);
        while (!course.isOver && !deadline.isOver()) {
            if (onTheirWay.get() < ON_THEIR_WAY) {
                onTheirWay.incrementAndGet();
                loop.execute(() -> {
                    course.fromElsewhere++;
                    course.task();
                    onTheirWay.decrementAndGet();
                });
            }
        }
    }

    /** What ran, one after the other; on the loop thread. */
    private static final class Course {
        private int completions;
        private int fromElsewhere;
        private int completionsInARow;
        private int tasksInARow;
        private int longestOfCompletions;
        private int longestOfTasks;
        private volatile boolean isOver;

        void writeForEver(FileHandle file) {
            ByteBuffer buffer = ByteBuffer.allocate(1);
            file.writeSome(buffer, Operation.of(done -> {
                completion();
                if (!isOver) {
                    file.writeSome(buffer.clear(), done);
                }
            }));
        }

        void postForEver(EventLoop loop) {
            loop.execute(() -> {
                task();
                if (!isOver) {
                    postForEver(loop);
                }
            });
        }

        private void completion() {
            if (isOver) {
                return;
            }
            longestOfCompletions = Math.max(longestOfCompletions, ++completionsInARow);
            tasksInARow = 0;
            completions++;
            // The other thread may come late: as long as it has not posted, there is nothing to compare.
            if (completions >= COMPLETIONS && fromElsewhere > 0) {
                isOver = true;
            }
        }

        private void task() {
            if (!isOver && completions > 0) {
                longestOfTasks = Math.max(longestOfTasks, ++tasksInARow);
                completionsInARow = 0;
            }
        }

        @Override
        public String toString() {
            return completions + " completions, " + longestOfCompletions + " in a row; " + longestOfTasks
                    + " tasks in a row; " + fromElsewhere + " of another thread";
        }
    }
}
