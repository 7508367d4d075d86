package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** The end of a loop to which others still post, in a VM of its own. */
final class LoopCloseIT {
    // r[verify loop.stop]
    @Test
    void anEndDoesNotWaitForThreadsThatWereRefused() {
        ChildExit exit = ChildJvm.of(RefusedAtTheEnd.class).run(Duration.ofSeconds(60));
        assertEquals(List.of("refused"), exit.stdout(), exit::toString);
        assertTrue(
                exit.stderr().stream().noneMatch(line -> line.contains("has not finished doing so")), exit::toString);
    }

    /** The last of what was accepted has another thread post, which is refused since the queue is closed. */
    static final class RefusedAtTheEnd {
        public static void main(String[] args) {
            EventLoop loop = EventLoop.open().start();
            loop.register(() -> loop.execute(() -> {
                Thread late = new Thread(() -> {
                    try {
                        loop.execute(() -> {});
                    } catch (RejectedExecutionException closed) {
                        System.out.println("refused");
                    }
                });
                late.start();
                LoopCase.joinUninterruptibly(late);
            }));
            loop.close();
        }
    }
}
