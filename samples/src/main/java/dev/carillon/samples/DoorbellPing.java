package dev.carillon.samples;

import dev.carillon.loop.EventLoop;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.samples.words.Word;
import dev.carillon.shm.doorbell.Doorbell;
import dev.carillon.shm.doorbell.DoorbellEvent;
import dev.carillon.shm.doorbell.DoorbellPair;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Two processes ring each other through a doorbell; then one is killed, and the other learns it at once. */
public final class DoorbellPing {
    private static final int BELL = 3;

    public static void main(String[] arguments) throws Exception {
        if (List.of(arguments).equals(List.of("guest"))) {
            guest();
        } else if (Word.fit("doorbell-ping", arguments)) {
            host(10_000);
        } else {
            System.exit(2);
        }
    }

    private static void host(int rounds) throws Exception {
        try (EventLoop loop = EventLoop.open().start();
                DoorbellPair pair = Doorbell.pair()) {
            // region host
            Child guest = guestCommand().inherit(pair.guest().fd(), BELL).start(loop);
            pair.guest().close(); // only the guest has it now
            Doorbell bell = pair.host();
            // endregion
            long start = System.nanoTime();
            for (int i = 0; i < rounds; i++) {
                bell.ring();
                if (bell.await(Duration.ofSeconds(20)) != DoorbellEvent.RUNG) {
                    throw new IllegalStateException(guest + " does not answer");
                }
            }
            System.out.println(rounds + " round trips, " + (System.nanoTime() - start) / 1_000 / rounds + " us each");
            guest.kill();
            System.out.println("the bell says " + bell.await(Duration.ofSeconds(20)) + ", the guest "
                    + guest.exit().get());
        }
    }

    private static void guest() throws InterruptedException {
        // region guest
        try (Doorbell bell = Doorbell.adopt(BELL)) {
            while (bell.await() == DoorbellEvent.RUNG) {
                bell.ring();
            }
        }
        // endregion
    }

    private static Spawn.Builder guestCommand() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return Spawn.command(java, "--enable-native-access=ALL-UNNAMED", DoorbellPing.class.getName(), "guest")
                .environment("CLASSPATH", System.getProperty("java.class.path"));
    }
}
