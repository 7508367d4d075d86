package dev.carillon.shm;

import static dev.carillon.shm.ChaosFlows.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Seeded;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Everything at once: a guest that stays, guests that are killed, guests that come and go by the socket, and an auditor that looks
 * all the time. Nothing grows.
 */
// r[verify shm.recovery]
final class SoakIT {
    private static final Duration TIME = Duration.ofSeconds(Boolean.getBoolean("carillon.stress") ? 600 : 6);

    /** The host is a process of its own, so that only what it does is measured. */
    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void everythingAtOnceLeavesNothing(@TempDir Path folder, @Seeded SplittableRandom random) {
        ChildExit exit = ChildJvm.of(Host.class)
                .vmFlags("-Xmx64m", "-XX:+UseSerialGC")
                .args(
                        folder.resolve("host").toString(),
                        Long.toString(random.nextLong()),
                        Long.toString(TIME.toSeconds()))
                .run(TIME.plus(LIMIT).plus(LIMIT));
        assertEquals(0, exit.code(), exit::toString);
        System.out.println(exit.stdout());
    }

    /** Has all the guests. */
    static final class Host {
        public static void main(String[] args) throws Exception {
            Duration time = Duration.ofSeconds(Long.parseLong(args[2]));
            new Soak(time).run(Path.of(args[0]), new SplittableRandom(Long.parseLong(args[1])));
            System.exit(0);
        }
    }
}
