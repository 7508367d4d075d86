package dev.carillon.shm;

import static dev.carillon.shm.BareLink.LARGE;
import static dev.carillon.shm.LinkPair.LIMIT;
import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.text;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.shm.LinkActor.Kind;
import dev.carillon.shm.LinkActor.Transition;
import dev.carillon.shm.LinkMemory.Side;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Futures;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each wait there is, by threads and on a loop, while the peer is another process; and whatever can end it. */
final class WaitTransitionsIT {
    private static final Duration SHORT = Duration.ofMillis(50);

    private final Path directory =
            Path.of("/dev/shm", "carillon-waits-" + ProcessHandle.current().pid() + "-" + System.nanoTime());

    private final EventLoop hosting = EventLoop.open().start();
    private final BlockingQueue<ShmLink> arrived = new LinkedBlockingQueue<>();

    @AfterEach
    void leaveNothing() {
        if (Files.exists(directory)) {
            // The host that was killed has left it.
            ShmHost.create(directory, HostConfig.defaults()).close();
        }
        hosting.close();
    }

    // r[verify shm.wait.all-transitions] r[verify shm.wait.sleep-word] r[verify shm.wait.event-counter]
    @Test
    void eachWaitOfAHostIsEndedByWhateverItsGuestDoes() throws Exception {
        ShmHost host = ShmHost.create(directory, LinkActor.config(hosting, arrived));
        try (ChildProcess guest = actor(Side.GUEST)) {
            for (Transition transition : Transition.values()) {
                endAll(transition, Side.HOST, guest);
            }
        } finally {
            host.close();
        }
    }

    // r[verify shm.wait.all-transitions] r[verify shm.wait.sleep-word] r[verify shm.wait.event-counter]
    @Test
    void eachWaitOfAGuestIsEndedByWhateverItsHostDoes() throws Exception {
        try (ChildProcess host = actor(Side.HOST)) {
            for (Transition transition : Transition.values()) {
                endAll(transition, Side.GUEST, host);
            }
        }
    }

    private ChildProcess actor(Side side) {
        ChildProcess child = ChildJvm.of(LinkActor.class)
                .args(directory.toString(), side.name())
                .start();
        child.awaitLine("open", LIMIT);
        return child;
    }

    /** One link for each wait; when all sleep, the same happens to all. */
    private void endAll(Transition transition, Side side, ChildProcess peer) throws Exception {
        List<ShmLink> links = new ArrayList<>();
        Map<Kind, Waiting<String>> waits = new LinkedHashMap<>();
        try (EventLoop loop = EventLoop.open().start()) {
            peer.writeLine(transition.name());
            for (Kind kind : LinkActor.kinds(transition)) {
                ShmLink link = side == Side.GUEST ? ShmGuest.connect(directory, LIMIT) : arrival();
                links.add(link);
                assertEquals(SendResult.SENT, link.send(text(kind.name()), LONG));
                assertEquals("ready", text(Objects.requireNonNull(link.receive(LONG))));
                waits.put(kind, begin(kind, link, loop, transition == Transition.DEADLINE ? SHORT : LONG));
            }
            peer.awaitLine("ready " + transition, LIMIT);
            for (Kind kind : waits.keySet()) {
                if (!kind.isOnLoop() && transition != Transition.DEADLINE) {
                    Objects.requireNonNull(waits.get(kind)).awaitAsleep();
                }
            }
            happen(transition, links, waits, loop, peer);
            for (var each : waits.entrySet()) {
                String what = each.getKey() + " at " + transition + " of " + side;
                assertEquals(expected(each.getKey(), transition), outcome(each.getValue()), what);
            }
        } finally {
            links.forEach(ShmLink::close);
        }
        if (transition != Transition.DEATH) {
            peer.writeLine("end");
            peer.awaitLine("ended " + transition, LIMIT);
        }
    }

    private ShmLink arrival() throws InterruptedException {
        return Objects.requireNonNull(arrived.poll(LIMIT.toSeconds(), TimeUnit.SECONDS), "no guest");
    }

    private static Waiting<String> begin(Kind kind, ShmLink link, EventLoop loop, Duration atMost) throws Exception {
        return switch (kind) {
            case DATA -> Waiting.on(() -> name(link.receive(atMost)));
            case ROOM -> {
                fill(link);
                yield Waiting.on(() -> link.send(text("more"), atMost).name());
            }
            case SLOT -> {
                assertEquals(SendResult.SENT, link.trySend(LARGE));
                yield Waiting.on(() -> link.send(LARGE, atMost).name());
            }
            case CLAIM -> {
                assertEquals(SendResult.SENT, link.trySend(LARGE));
                yield Waiting.on(() -> claimed(link, atMost));
            }
            case CREDIT -> {
                ShmChannel channel = link.openChannel();
                assertEquals(SendResult.SENT, channel.send(text("uses some"), LONG));
                yield Waiting.on(
                        () -> channel.awaitCredit(LinkActor.WINDOW, atMost).name());
            }
            case CHANNEL -> {
                ShmChannel channel = link.openChannel();
                yield Waiting.on(() -> name(channel.receive(atMost)));
            }
            case ACCEPT -> Waiting.on(() -> link.acceptChannel(atMost) == null ? "null" : "accepted");
            case DATA_ON_LOOP -> on(link.onLoop(loop).receiveAsync());
            case ROOM_ON_LOOP -> {
                fill(link);
                yield on(link.onLoop(loop).sendAsync(text("more")));
            }
            case SLOT_ON_LOOP -> {
                assertEquals(SendResult.SENT, link.trySend(LARGE));
                yield on(link.onLoop(loop).sendAsync(LARGE));
            }
            case CLAIM_ON_LOOP -> {
                assertEquals(SendResult.SENT, link.trySend(LARGE));
                AsyncLink async = link.onLoop(loop);
                yield on(async.claimAsync(LARGE.length()).thenApply(claim -> claimed(claim, async.claimRefusal())));
            }
            case CREDIT_ON_LOOP -> {
                AsyncChannel channel = link.onLoop(loop).openChannel();
                assertEquals(SendResult.SENT, Futures.get(channel.sendAsync(text("uses some"))));
                yield on(channel.awaitCreditAsync(LinkActor.WINDOW));
            }
            case CHANNEL_ON_LOOP -> on(link.onLoop(loop).openChannel().receiveAsync());
            case ACCEPT_ON_LOOP ->
                on(link.onLoop(loop).acceptChannelAsync().thenApply(channel -> channel == null ? "null" : "accepted"));
        };
    }

    private static void fill(ShmLink link) {
        while (link.trySend(text("x")) == SendResult.SENT) {
            assertEquals(1, link.stats().framesReceived());
        }
    }

    private static Waiting<String> on(CompletableFuture<?> stage) {
        return Waiting.on(() -> {
            Object result = stage.get();
            return result instanceof Frame frame ? name(frame) : String.valueOf(result);
        });
    }

    private static String claimed(ShmLink link, Duration atMost) throws InterruptedException {
        return claimed(link.awaitClaim(LARGE.length(), atMost), link.claimRefusal());
    }

    private static String claimed(@Nullable SlotWriter claim, @Nullable SendResult refusal) {
        if (claim == null) {
            return String.valueOf(refusal);
        }
        claim.close();
        return "claimed";
    }

    private static String name(@Nullable Frame frame) {
        return frame == null ? "null" : text(frame);
    }

    private static void happen(
            Transition transition,
            List<ShmLink> links,
            Map<Kind, Waiting<String>> waits,
            EventLoop loop,
            ChildProcess peer) {
        switch (transition) {
            case PROGRESS, RESET, CLOSE, GOODBYE -> peer.writeLine("go");
            case DEATH -> peer.send("KILL");
            case OWN_CLOSE -> links.forEach(ShmLink::close);
            case INTERRUPT -> waits.values().forEach(Waiting::interrupt);
            case LOOP_END -> loop.close();
            case DEADLINE -> assertEquals(links.size(), waits.size());
        }
    }

    private static String expected(Kind kind, Transition transition) {
        boolean receives = switch (kind) {
            case DATA, CHANNEL, ACCEPT, DATA_ON_LOOP, CHANNEL_ON_LOOP, ACCEPT_ON_LOOP -> true;
            default -> false;
        };
        return switch (transition) {
            case PROGRESS ->
                switch (kind) {
                    case DATA, CHANNEL, DATA_ON_LOOP, CHANNEL_ON_LOOP -> "late";
                    case CLAIM, CLAIM_ON_LOOP -> "claimed";
                    case CREDIT, CREDIT_ON_LOOP -> "GRANTED";
                    case ACCEPT, ACCEPT_ON_LOOP -> "accepted";
                    default -> "SENT";
                };
            case RESET -> kind.isForCredit() ? "RESET" : "null";
            case CLOSE -> "null";
            case GOODBYE, DEATH -> receives ? "null" : "PEER_GONE";
            case OWN_CLOSE, LOOP_END -> "closed";
            case INTERRUPT -> "interrupted";
            case DEADLINE ->
                switch (kind) {
                    case ROOM -> "RING_FULL";
                    case SLOT, CLAIM -> "NO_SLOT";
                    case CREDIT -> "TIMED_OUT";
                    default -> "null";
                };
        };
    }

    private static String outcome(Waiting<String> waiting) throws Exception {
        try {
            return waiting.result();
        } catch (ExecutionException e) {
            Throwable why = e.getCause();
            Throwable cause = why instanceof ExecutionException && why.getCause() != null ? why.getCause() : why;
            return cause instanceof ClosedException
                    ? "closed"
                    : cause instanceof InterruptedException ? "interrupted" : String.valueOf(cause);
        }
    }
}
