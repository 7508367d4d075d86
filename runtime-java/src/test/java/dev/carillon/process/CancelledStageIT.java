package dev.carillon.process;

import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildJvm;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Futures of an end that their owner gave up, again and again, as a wait with a time limit does. */
final class CancelledStageIT {
    // r[verify process.stages]
    @ParameterizedTest
    @ValueSource(strings = {"child", "watch"})
    void aFutureThatWasGivenUpIsNotKept(String of) {
        ChildJvm.of(GivesUp.class)
                .vmFlags("-Xmx24m")
                .args(of)
                .run(Running.LIMIT)
                .assertPrinted("done");
    }

    static final class GivesUp {
        private static final int TIMES = 400_000;

        private GivesUp() {}

        public static void main(String[] args) throws Exception {
            try (EventLoop loop = EventLoop.open().start();
                    Child child = Spawn.command("sleep", "100").start(loop);
                    ProcessWatch watch = ProcessWatch.of(loop, child.pid())) {
                Supplier<CompletableFuture<?>> end = args[0].equals("child") ? child::exit : watch::exited;
                CompletableFuture<?> kept = end.get();
                for (int i = 0; i < TIMES; i++) {
                    end.get().cancel(false);
                }
                child.kill();
                kept.get(20, TimeUnit.SECONDS);
                System.out.println("done");
            }
        }
    }
}
