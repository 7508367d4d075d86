package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
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
                List<Long> lateness = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    long deadline = loop.nanoTime() + 300_000;
                    loop.scheduleAt(deadline, () -> lateness.add(loop.nanoTime() - deadline));
                    while (lateness.size() == i) {
                        loop.runOne();
                    }
                }
                Collections.sort(lateness);
                System.out.println(lateness.get(0) >= 0 ? "never early" : "early by " + lateness.get(0));
                System.out.println(lateness.get(50) < 600_000 ? "precise" : "late by " + lateness.get(50));
                Operation read = Operation.of(done -> {
                    System.out.println(done.failure() == null ? "read" : done.failure());
                    loop.requestStop();
                });
                Operation open = Operation.of(done -> {
                    FileHandle file = Handle.made(done, FileHandle.class);
                    file.readSome(ByteBuffer.allocate(10), read);
                });
                FileHandle.open(loop, Path.of("/proc/self/stat"), Set.of(), open);
                loop.run(RunMode.DRAINED);
            }
        }
    }
}
