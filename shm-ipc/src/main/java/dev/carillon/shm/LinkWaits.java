package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopService;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who waits on a loop for a link: one for frames, and one for room, and those who wait for its channels.
 *
 * <p>A place is free -> taken (by the one who waits) -> free (by the one who tells of a change, or takes the wait back).
 *
 * <p><b>Threading:</b> any thread. Told is on the loop thread; where the loop takes nothing any more, on the thread that ends it.
 *
 * <p><b>Order:</b> the waiter takes the place, announces that it listens, and looks: a ring after the announcement finds it there.
 */
final class LinkWaits implements PeerListener {
    /** How often the loop looks while nothing watches the peer. */
    private static final Duration SLICE = Duration.ofMillis(20);

    private final EventLoop loop;
    private final PeerWatch peer;
    private final HalfWait dataHalf;
    private final HalfWait roomHalf;
    private final Consumer<RuntimeException> onEnd;
    private final LoopService service = this::loopEnds;
    private final AtomicReference<@Nullable LinkWaiter> data = new AtomicReference<>();
    private final AtomicReference<@Nullable LinkWaiter> room = new AtomicReference<>();
    private final WaitPlaces others = new WaitPlaces();

    /** Why there are no more waits; null as long as there are. */
    private final AtomicReference<@Nullable RuntimeException> over = new AtomicReference<>();

    /** A timer is to look; the loop thread's. */
    private boolean slicing;

    /**
     * Nobody waits.
     *
     * @param dataHalf which threads wait for frames; {@code roomHalf}: for room
     * @param onEnd called once, when no more waits begin
     */
    LinkWaits(EventLoop loop, PeerWatch peer, HalfWait dataHalf, HalfWait roomHalf, Consumer<RuntimeException> onEnd) {
        this.loop = loop;
        this.peer = peer;
        this.dataHalf = dataHalf;
        this.roomHalf = roomHalf;
        this.onEnd = onEnd;
    }

    void begin() {
        loop.register(service);
        boolean listens = false;
        try {
            peer.listen(loop, this);
            listens = true;
            dataHalf.onLoop(data);
            roomHalf.onLoop(room);
        } finally {
            if (!listens) {
                loop.unregister(service);
            }
        }
    }

    /** Whether what is wanted is there; if not, the waiter is told of a change. */
    boolean forData(LinkWaiter waiter, BooleanSupplier isThereOrListens) {
        return await(data, dataHalf, waiter, isThereOrListens);
    }

    /** As {@link #forData}, in the place of the sender. */
    boolean forRoom(LinkWaiter waiter, BooleanSupplier isThereOrListens) {
        return await(room, roomHalf, waiter, isThereOrListens);
    }

    /** As {@link #forData}, in a place of its own, which is forgotten there. */
    boolean forChannel(WaitPlaces.Place place, LinkWaiter waiter, BooleanSupplier isThereOrListens) {
        return await(place.waiter, null, waiter, () -> {
            others.add(place);
            return isThereOrListens.getAsBoolean();
        });
    }

    private boolean await(
            AtomicReference<@Nullable LinkWaiter> place,
            @Nullable HalfWait half,
            LinkWaiter waiter,
            BooleanSupplier isThere) {
        ensureUsable();
        if (!isTaken(place, waiter)) {
            throw new IllegalStateException(
                    "this link or channel is waited for already: it has one receiver and one sender at a time");
        }
        boolean waits = false;
        try {
            if (half != null) {
                half.ensureNoThread();
            }
            waits = !isThere.getAsBoolean() && over.get() == null;
        } finally {
            if (!waits) {
                // Not there any more: it is being told, which is as good as a change.
                waits = !place.compareAndSet(waiter, null);
            }
        }
        if (waits && !peer.isConfirmed()) {
            onLoop(this::lookNowAndThen);
        }
        return !waits;
    }

    /** One that was cancelled a moment ago is about to be forgotten, and is in nobody's way. */
    private static boolean isTaken(AtomicReference<@Nullable LinkWaiter> place, LinkWaiter waiter) {
        LinkWaiter present = place.get();
        while (present == null || !present.isWaiting()) {
            if (place.compareAndSet(present, waiter)) {
                return true;
            }
            present = place.get();
        }
        return false;
    }

    /** Takes a waiter back that waits; nothing if it does not wait any more. */
    void forget(LinkWaiter waiter) {
        data.compareAndSet(waiter, null);
        room.compareAndSet(waiter, null);
    }

    /** Nothing watches the peer, or not yet: a timer needs no descriptor. On the loop thread. */
    private void lookNowAndThen() {
        if (slicing) {
            return;
        }
        try {
            loop.schedule(SLICE, this::look);
            slicing = true;
        } catch (RejectedExecutionException ends) {
            return; // it was asked to look just before its end, which refuses those who wait
        }
    }

    private void look() {
        slicing = false;
        boolean isWatched = peer.isWatched() && peer.isConfirmed();
        tellAll();
        if (!isWatched && (data.get() != null || room.get() != null || !others.isEmpty())) {
            onLoop(this::lookNowAndThen);
        }
    }

    private void onLoop(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException ends) {
            return; // the end of the loop refuses those who wait, or has done so
        }
    }

    /** Tells one on the loop, after what is there already. */
    void tellLater(LinkWaiter waiter) {
        try {
            loop.execute(waiter::changed);
        } catch (RejectedExecutionException ends) {
            RuntimeException why = over.get();
            waiter.refused(why != null ? why : ends);
        }
    }

    private void tellAll() {
        tell(data);
        tell(room);
        others.take().forEach(LinkWaiter::changed);
    }

    private static void tell(AtomicReference<@Nullable LinkWaiter> place) {
        LinkWaiter waiter = place.getAndSet(null);
        if (waiter != null) {
            waiter.changed();
        }
    }

    @Override
    public void rung() {
        if (loop.inLoop()) {
            tellAll();
        } else {
            changed();
        }
    }

    @Override
    public void changed() {
        onLoop(this::tellAll);
    }

    @Override
    public void closed() {
        end(new ClosedException("the link was closed while it was waited for"));
    }

    private void loopEnds() {
        end(new ClosedException(loop + " has ended, and the link was waited for there; the link itself is open"));
    }

    void ensureUsable() {
        RuntimeException why = over.get();
        if (why != null) {
            throw why;
        }
    }

    boolean isOver() {
        return over.get() != null;
    }

    /** No wait begins any more, and those that are end; a second call does nothing. */
    void end(RuntimeException why) {
        if (!over.compareAndSet(null, why)) {
            return;
        }
        loop.unregister(service);
        peer.forget(this);
        refuse(data.getAndSet(null), why);
        refuse(room.getAndSet(null), why);
        others.take().forEach(waiter -> refuse(waiter, why));
        onEnd.accept(why);
    }

    void refuseIfOver(LinkWaiter waiter) {
        RuntimeException why = over.get();
        if (why != null) {
            refuse(waiter, why);
        }
    }

    void refuse(@Nullable LinkWaiter waiter, RuntimeException why) {
        if (waiter == null) {
            return;
        }
        if (loop.inLoop()) {
            waiter.refused(why);
            return;
        }
        try {
            loop.execute(() -> waiter.refused(why));
        } catch (RejectedExecutionException ends) {
            waiter.refused(why);
        }
    }
}
