package dev.carillon.lifecycle;

import dev.carillon.AbstractSocketAddress;
import dev.carillon.io.DatagramSocket;
import dev.carillon.io.Operation;
import dev.carillon.loop.EventLoop;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Tells the manager that has started this process how it is: systemd, or what speaks its protocol. Where the environment names
 * none, it says nothing.
 *
 * <p>States: STARTING -> READY by the program; READY -> RELOADING while a new configuration is validated, and back if it is
 * refused; any -> STOPPING, the last one.
 *
 * <p><b>Threading:</b> the loop's, but {@link #watch} and {@link #close}.
 *
 * <p><b>See:</b> sd_notify(3).
 */
// r[impl life.notify]
final class ServiceManager implements AutoCloseable {
    private static final char ABSTRACT = '@';
    private static final long NANOS_PER_MICRO = 1_000;

    /** A manager that wants to hear more often hears so often: no interval of theirs makes this loop do nothing else. */
    private static final Duration SHORTEST_BEAT = Duration.ofMillis(1);

    private final EventLoop loop;
    private final @Nullable DatagramSocket socket;
    private final @Nullable Duration beat;
    private final LifecycleLog log;
    private final List<EventLoop> watched = new CopyOnWriteArrayList<>();
    private State state = State.STARTING;
    private boolean isReady;
    private boolean hasFailed;
    private @Nullable Round round;

    /** What the manager was told last. */
    private enum State {
        STARTING,
        READY,
        RELOADING,
        STOPPING
    }

    /** One look at all loops that are watched: a task on each. On the loop of the lifecycle. */
    private final class Round {
        private int missing;

        void begin() {
            // One more than there are, so that it is over when all were asked, at the earliest.
            missing = 1;
            boolean isComplete = true;
            for (EventLoop each : watched) {
                isComplete &= ask(each);
            }
            if (isComplete) {
                answered();
            } else {
                round = null; // whose answers do not count; the next beat asks all again
            }
        }

        /** False if the loop takes no task now, as its queue is full. One that has ended is not asked again. */
        private boolean ask(EventLoop watchedLoop) {
            try {
                watchedLoop.execute(this::answeredElsewhere);
                missing++;
                return true;
            } catch (RejectedExecutionException fullOrOver) {
                return watchedLoop.isTerminated() && watched.remove(watchedLoop);
            }
        }

        private void answeredElsewhere() {
            try {
                loop.execute(this::answered);
            } catch (RejectedExecutionException closed) {
                return; // with the lifecycle the watch has ended
            }
        }

        private void answered() {
            missing--;
            if (missing == 0 && round == this) {
                round = null;
                send("WATCHDOG=1");
            }
        }
    }

    private ServiceManager(EventLoop loop, @Nullable DatagramSocket socket, @Nullable Duration beat, LifecycleLog log) {
        this.loop = loop;
        this.socket = socket;
        this.beat = beat;
        this.log = log;
    }

    /**
     * Finds the manager; if it cannot be reached, that is logged, and it is told nothing.
     *
     * @param environment has NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID
     * @param pid ours
     */
    static ServiceManager of(EventLoop loop, Map<String, String> environment, long pid, LifecycleLog log) {
        String name = environment.getOrDefault("NOTIFY_SOCKET", "");
        if (name.isEmpty()) {
            return new ServiceManager(loop, null, null, log);
        }
        try {
            DatagramSocket socket = DatagramSocket.connect(loop, address(name));
            return new ServiceManager(loop, socket, beatOrNone(environment, pid, log), log);
        } catch (RuntimeException unreachable) {
            log.managerUnreachable(name, unreachable);
            return new ServiceManager(loop, null, null, log);
        }
    }

    /** An interval that makes no sense switches off the watchdog, and nothing else. */
    private static @Nullable Duration beatOrNone(Map<String, String> environment, long pid, LifecycleLog log) {
        try {
            return beat(environment, pid);
        } catch (IllegalArgumentException nonsense) {
            log.watchdogIsOff(nonsense);
            return null;
        }
    }

    private static SocketAddress address(String name) {
        if (name.charAt(0) == ABSTRACT) {
            return AbstractSocketAddress.of(name.substring(1));
        }
        if (name.charAt(0) != '/') {
            throw new IllegalArgumentException(
                    "NOTIFY_SOCKET=" + name + " is neither a path nor an abstract name with an @ before it");
        }
        return UnixDomainSocketAddress.of(name);
    }

    /** Half the time after which the manager ends a process that says nothing; null if it does not, or means another process. */
    static @Nullable Duration beat(Map<String, String> environment, long pid) {
        String micros = environment.getOrDefault("WATCHDOG_USEC", "");
        String who = environment.getOrDefault("WATCHDOG_PID", "");
        if (micros.isEmpty() || (!who.isEmpty() && !who.equals(Long.toString(pid)))) {
            return null;
        }
        try {
            Duration limit = Duration.ofNanos(Math.multiplyExact(Long.parseLong(micros), NANOS_PER_MICRO));
            Duration half = limit.dividedBy(2);
            if (limit.isNegative() || limit.isZero()) {
                return null;
            }
            return half.compareTo(SHORTEST_BEAT) < 0 ? SHORTEST_BEAT : half;
        } catch (ArithmeticException | NumberFormatException nonsense) {
            throw new IllegalArgumentException("WATCHDOG_USEC=" + micros + " is no number of microseconds", nonsense);
        }
    }

    /** Begins to say that the loops are alive, if the manager wants to know. */
    void start() {
        if (socket != null && beat != null) {
            tick();
        }
    }

    private void tick() {
        loop.schedule(Objects.requireNonNull(beat), this::tick);
        // A round that is not over waits for a loop that is stuck: it is that silence which the manager is to hear. A
        // loop that has ended will never answer, and is nobody's to wait for.
        if (round == null || watched.removeIf(EventLoop::isTerminated)) {
            round = new Round();
            round.begin();
        }
    }

    /** From now on the manager hears nothing while this loop runs no tasks. */
    void watch(EventLoop more) {
        watched.add(Objects.requireNonNull(more, "loop"));
    }

    /** The program serves. */
    void ready() {
        isReady = true;
        if (state == State.STARTING) {
            to(State.READY, "READY=1");
        }
    }

    /** A new configuration is looked at. */
    void reloading() {
        if (state == State.READY) {
            // The clock of System.nanoTime is CLOCK_MONOTONIC, which the manager compares with its own.
            to(State.RELOADING, "RELOADING=1\nMONOTONIC_USEC=" + System.nanoTime() / NANOS_PER_MICRO);
        }
    }

    /** It was refused, and the program goes on. */
    void reloadRefused(String validator) {
        if (state == State.RELOADING) {
            to(
                    State.READY,
                    StatusText.message("READY=1\nSTATUS=", "The new configuration was refused by " + validator));
        }
    }

    /** Nobody waits for its verdict any more, and the program goes on. */
    void reloadAbandoned() {
        if (state == State.RELOADING) {
            to(State.READY, "READY=1");
        }
    }

    /** A shutdown has begun. */
    void stopping() {
        if (state != State.STOPPING) {
            to(State.STOPPING, "STOPPING=1");
        }
    }

    /** After a shutdown of a test, which ends nothing. */
    void goesOn() {
        state = State.STARTING;
        if (isReady) {
            ready();
        }
    }

    /** A sentence for people. */
    void status(String text) {
        send(StatusText.message("STATUS=", text));
    }

    private void to(State next, String message) {
        state = next;
        send(message);
    }

    private void send(String message) {
        DatagramSocket manager = socket;
        if (manager == null) {
            return;
        }
        byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
        manager.send(ByteBuffer.wrap(bytes), null, Operation.of(sent -> failed(sent.failure())));
    }

    /** It is told nothing any more. */
    @Override
    public void close() {
        if (socket != null) {
            socket.close();
        }
    }

    private void failed(@Nullable Throwable failure) {
        if (failure != null && !hasFailed) {
            hasFailed = true;
            log.managerDoesNotListen(failure);
        }
    }
}
