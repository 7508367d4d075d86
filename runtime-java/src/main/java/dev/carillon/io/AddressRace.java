package dev.carillon.io;

import dev.carillon.ClosedException;
import dev.carillon.io.backend.SocketAddresses;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopTask;
import dev.carillon.loop.TimerHandle;
import dev.carillon.loop.access.LoopAccess;
import dev.carillon.loop.access.LoopCommand;
import dev.carillon.loop.access.LoopStage;
import dev.carillon.sys.Deadlines;
import dev.carillon.sys.NativeBytes;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Connects to the first of several addresses that answers. Each attempt begins when the one before has failed, or has not answered for
 * a quarter of a second; none of those that are under way is given up for that. The first connection is kept, and the other attempts
 * end.
 *
 * <p>States: LOOKED UP (a thread asks for the addresses) -> RACING (attempts are under way) -> DECIDED, by the first connection, the
 * failure of the last attempt, the deadline, the end of the loop, or anybody else who completes the future.
 *
 * <p><b>Threading:</b> the loop thread, unless stated otherwise.
 *
 * <p><b>See:</b> RFC 8305.
 */
// r[impl io.race]
final class AddressRace {
    /** The recommended Connection Attempt Delay. */
    private static final Duration HEAD_START = Duration.ofMillis(250);

    private final EventLoop loop;
    private final LoopAccess access;
    private final String host;
    private final long deadline;
    private final LoopStage<StreamSocket> winner;
    private final List<Attempt> underWay = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private List<? extends SocketAddress> addresses = List.of();
    private int next;
    private @Nullable TimerHandle nextStart;
    private @Nullable TimerHandle end;

    /** Null where none is needed. */
    private volatile @Nullable Runnable lookup;

    private AddressRace(EventLoop loop, String host, Duration atMost) {
        this.loop = loop;
        this.host = host;
        access = LoopAccess.of(loop);
        access.ensureAccepting();
        deadline = Deadlines.after(access.nanoTime(), atMost);
        winner = new LoopStage<>(access);
    }

    /** Connects to one of those addresses, in their order. Any thread. */
    static CompletableFuture<StreamSocket> among(
            EventLoop loop, List<? extends SocketAddress> addresses, Duration atMost) {
        Objects.requireNonNull(atMost, "atMost");
        List<? extends SocketAddress> known = List.copyOf(Objects.requireNonNull(addresses, "addresses"));
        if (known.isEmpty()) {
            throw new IllegalArgumentException("addresses=[]: there is none to connect to");
        }
        known.forEach(AddressRace::ensureUsable);
        String named = known.size() == 1 ? known.get(0).toString() : known.size() + " addresses";
        AddressRace race = new AddressRace(loop, named, atMost);
        loop.execute(() -> {
            race.limit();
            race.start(known);
        });
        return race.result();
    }

    /** Connects to one of the addresses of a host. Any thread. */
    static CompletableFuture<StreamSocket> to(EventLoop loop, String host, int port, Duration atMost) {
        Objects.requireNonNull(atMost, "atMost");
        if (Objects.requireNonNull(host, "host").isBlank()) {
            throw new IllegalArgumentException("host=" + host + ": a name or an address is expected");
        }
        if (port < 1 || port > 0xffff) {
            throw new IllegalArgumentException("port=" + port + ": 1 to 65535");
        }
        AddressRace race = new AddressRace(loop, host, atMost);
        if (HostLookup.isAddress(host)) {
            List<InetSocketAddress> known = HostLookup.literal(host, port);
            loop.execute(() -> {
                race.limit();
                race.start(known);
            });
            return race.result();
        }
        loop.execute(race::limit);
        try {
            race.lookup = HostLookup.run(() -> race.lookUp(port));
        } catch (RuntimeException | Error noThread) {
            race.winner.completeExceptionally(noThread);
        }
        return race.result();
    }

    private static void ensureUsable(SocketAddress address) {
        try (NativeBytes memory = Sockets.memory()) {
            SocketAddresses.put(address, memory.bytes());
        }
    }

    private CompletableFuture<StreamSocket> result() {
        // This method does not return that stage: cancelling it would not cancel the race.
        var unused = winner.whenComplete((socket, failure) -> {
            Runnable begun = lookup;
            if (begun != null) {
                HostLookup.forget(begun);
            }
            onLoop(this::decided);
        });
        return winner;
    }

    /** Whether the loop will do it. If it has ended, so have all attempts. Any thread. */
    private boolean onLoop(Runnable step) {
        return access.command(LoopCommand.of(step));
    }

    /** On a thread for look-ups. */
    private void lookUp(int port) {
        if (winner.isDone()) {
            return;
        }
        Runnable step;
        try {
            List<? extends SocketAddress> found = HostLookup.of(host, port);
            step = () -> start(found);
        } catch (Exception | Error failure) {
            step = () -> lose(failure);
        }
        if (!onLoop(step)) {
            lose(ended());
        }
    }

    /** The deadline of all of it: while the name is looked up, no attempt has one. */
    private void limit() {
        if (winner.isDone()) {
            return;
        }
        try {
            end = loop.scheduleAt(deadline, new End());
        } catch (RejectedExecutionException loopEnds) {
            // It runs what it has accepted, and accepts no more.
            lose(ended());
        }
    }

    /** The time is over, or the loop ends, which no thread that looks a name up would tell soon. */
    private final class End implements LoopTask {
        @Override
        public void run() {
            lose(late());
        }

        @Override
        public void onLoopEnd() {
            lose(ended());
        }
    }

    private ClosedException ended() {
        return new ClosedException("connecting to " + host + ": " + loop + " has ended");
    }

    private void start(List<? extends SocketAddress> found) {
        addresses = found;
        proceed();
    }

    /** Begins the next attempt, and sets the time of the one after it. */
    private void proceed() {
        cancelNextStart();
        while (!winner.isDone() && next < addresses.size()) {
            if (begin(addresses.get(next++))) {
                if (next < addresses.size()) {
                    startNextLater();
                }
                return;
            }
        }
        if (!winner.isDone() && underWay.isEmpty()) {
            lose(failure());
        }
    }

    private void startNextLater() {
        try {
            nextStart = loop.schedule(HEAD_START, this::proceed);
        } catch (RejectedExecutionException loopEnds) {
            // The attempt that has begun ends with the loop.
            return;
        }
    }

    /** Whether an attempt is under way now. */
    private boolean begin(SocketAddress address) {
        Attempt attempt = new Attempt();
        underWay.add(attempt);
        try {
            attempt.socket = StreamSocket.connect(loop, address, Duration.ofNanos(remaining()), attempt.operation);
            return true;
        } catch (RuntimeException | Error refused) {
            underWay.remove(attempt);
            failures.add(refused);
            return false;
        }
    }

    private long remaining() {
        return deadline == Deadlines.NEVER ? Long.MAX_VALUE : Deadlines.until(deadline, access.nanoTime());
    }

    private void ended(Attempt attempt) {
        underWay.remove(attempt);
        Throwable failure = attempt.operation.failure();
        StreamSocket socket = attempt.socket;
        boolean isWinner = failure == null && winner.complete(socket);
        if (socket != null && !isWinner) {
            socket.close();
        }
        if (failure != null) {
            failures.add(failure);
            if (failure instanceof ClosedException) {
                lose(failure);
            }
            proceed();
        }
    }

    private void lose(Throwable why) {
        winner.completeExceptionally(why);
    }

    /** Whoever completed the future: ends what is under way. */
    private void decided() {
        cancelNextStart();
        if (end != null) {
            end.cancel();
        }
        for (Attempt attempt : List.copyOf(underWay)) {
            attempt.operation.cancel();
        }
    }

    private void cancelNextStart() {
        if (nextStart != null) {
            nextStart.cancel();
            nextStart = null;
        }
    }

    private Throwable failure() {
        if (failures.size() == 1) {
            return failures.get(0);
        }
        if (failures.stream().allMatch(SocketTimeoutException.class::isInstance)) {
            return late();
        }
        Throwable all = new ConnectException("connecting to " + host + ": none of the " + failures.size()
                + " attempts succeeded; each failure is among the suppressed ones of this");
        failures.forEach(all::addSuppressed);
        return all;
    }

    private SocketTimeoutException late() {
        if (addresses.isEmpty()) {
            return new SocketTimeoutException(
                    "host=" + host + ": no answer for that name before the deadline; the servers for"
                            + " names are slow or cannot be reached; look at /etc/resolv.conf, or allow more time");
        }
        SocketTimeoutException late =
                new SocketTimeoutException("connecting to " + host + ": the deadline came first; of "
                        + addresses.size() + " addresses " + failures.size()
                        + " have failed (see the suppressed ones of this), "
                        + underWay.size() + " have not answered, and " + (addresses.size() - next)
                        + " were not tried yet; look whether packets are dropped on the way, or allow more time");
        failures.forEach(late::addSuppressed);
        return late;
    }

    /** A connect to one address. */
    private final class Attempt {
        private final Operation operation = Operation.of(done -> ended(this));
        private @Nullable StreamSocket socket;
    }
}
