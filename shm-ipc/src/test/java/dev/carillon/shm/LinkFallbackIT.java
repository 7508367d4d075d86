package dev.carillon.shm;

import static dev.carillon.shm.BareLink.LARGE;
import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.ClosedException;
import dev.carillon.shm.LinkMemory.Side;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Links where the kernel has no futexes, and the same waits where it has. */
final class LinkFallbackIT {
    // r[verify shm.wakeup.fallback]
    @Test
    void withoutFutexesAllWaitsEndAsTheyDoWithThem() throws Exception {
        ChildExit exit =
                ChildJvm.of(Waits.class).vmFlags("-Dcarillon.without=futex").run(LIMIT.multipliedBy(2));
        assertEquals(0, exit.code(), exit::toString);
        assertEquals(Waits.all(), exit.stdout(), exit::toString);
    }

    /** What ends the waits of a host. */
    private enum Transition {
        PROGRESS,
        GOODBYE,
        DEATH,
        OWN_CLOSE,
        INTERRUPT,
        DEADLINE
    }

    static final class Waits {
        public static void main(String[] args) throws Exception {
            all().forEach(System.out::println);
            System.exit(0);
        }

        static List<String> all() throws Exception {
            List<String> all = new ArrayList<>();
            for (Transition transition : Transition.values()) {
                for (int wait = 0; wait < 4; wait++) {
                    all.add(transition + " " + wait + " " + end(transition, wait));
                }
            }
            return all;
        }

        private static String end(Transition transition, int wait) throws Exception {
            Duration atMost = transition == Transition.DEADLINE ? Duration.ofMillis(20) : LONG;
            try (BareLink links = new BareLink()) {
                ShmChannel mine = links.host.openChannel();
                ShmChannel theirs = Objects.requireNonNull(links.guest.acceptChannel(LONG));
                Waiting<String> waiting = begin(wait, links, mine, atMost);
                if (transition != Transition.DEADLINE) {
                    waiting.awaitAsleep();
                }
                switch (transition) {
                    case PROGRESS -> progress(wait, links, theirs);
                    case GOODBYE -> links.guest.close();
                    case DEATH -> links.tearOut(Side.GUEST);
                    case OWN_CLOSE -> links.host.close();
                    case INTERRUPT -> waiting.interrupt();
                    case DEADLINE -> Objects.requireNonNull(waiting);
                }
                return outcome(waiting);
            }
        }

        private static Waiting<String> begin(int wait, BareLink links, ShmChannel mine, Duration atMost)
                throws InterruptedException {
            ShmLink host = links.host;
            switch (wait) {
                case 0 -> {
                    return Waiting.on(() -> name(host.receive(atMost)));
                }
                case 1 -> {
                    BareLink.fill(host);
                    return Waiting.on(() -> host.send(text("more"), atMost).name());
                }
                case 2 -> {
                    host.trySend(LARGE);
                    return Waiting.on(() -> host.send(LARGE, atMost).name());
                }
                default -> {
                    mine.send(text("uses some"), LONG);
                    long window = links.from(Side.HOST).window();
                    return Waiting.on(() -> mine.awaitCredit(window, atMost).name());
                }
            }
        }

        private static void progress(int wait, BareLink links, ShmChannel theirs) throws InterruptedException {
            switch (wait) {
                case 0 -> links.guest.trySend(text("late"));
                case 3 -> theirs.receive(LONG);
                default -> links.guest.poll(frame -> {}, 1);
            }
        }

        private static String name(@Nullable Frame frame) {
            return frame == null ? "null" : text(frame);
        }

        private static String outcome(Waiting<String> waiting) throws Exception {
            try {
                return waiting.result();
            } catch (ExecutionException e) {
                Throwable why = Objects.requireNonNull(e.getCause());
                return why instanceof ClosedException
                        ? "closed"
                        : why.getClass().getName();
            }
        }
    }
}
