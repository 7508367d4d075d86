package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.io.FileHandle;
import dev.carillon.io.Operation;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Kernels and seccomp profiles that lack newer calls. */
final class LoopFallbackIT {
    // r[verify loop.poll] r[verify io.file]
    @Test
    void withoutEpollPwait2AndOpenat2TimersKeepTheirNanosecondsAndFilesOpen() {
        try (ChildProcess child = ChildJvm.of(Old.class)
                .vmFlags("-Dcarillon.without=epoll_pwait2,openat2")
                .start()) {
            assertEquals(
                    List.of("never early", "precise", "read"),
                    child.awaitExit(Duration.ofSeconds(60)).stdout());
        }
    }

    static final class Old {
        public static void main(String[] args) {
            try (EventLoop loop = EventLoop.open()) {
                Deadline limit = Deadline.after(Duration.ofSeconds(30));
                // A wait of less than 300 us that is rounded to a millisecond ends 700 us late at the least.
                List<Long> lateness = new ArrayList<>();
                int precise = 0;
                for (int i = 0; i < 100 || (precise < 20 && !limit.isOver()); i++) {
                    long deadline = loop.nanoTime() + 300_000;
                    loop.scheduleAt(deadline, () -> lateness.add(loop.nanoTime() - deadline));
                    while (lateness.size() == i) {
                        loop.runOne();
                    }
                    precise += lateness.get(i) < 700_000 ? 1 : 0;
                }
                long earliest = Collections.min(lateness);
                System.out.println(earliest >= 0 ? "never early" : "early by " + earliest);
                System.out.println(precise >= 20 ? "precise" : "precise " + precise + " times of " + lateness.size());
                Operation read = Operation.of(done -> {
                    System.out.println(done.failure() == null ? "read" : done.failure());
                    loop.requestStop();
                });
                Operation open = Operation.of(done -> {
                    FileHandle file = (FileHandle) Objects.requireNonNull(done.value());
                    file.readSome(ByteBuffer.allocate(10), read);
                });
                FileHandle.open(loop, Path.of("/proc/self/stat"), Set.of(), open);
                loop.run(RunMode.DRAINED);
            }
        }
    }
}
