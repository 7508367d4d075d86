package dev.carillon.shm;

import dev.carillon.ClosedException;
import dev.carillon.memory.RegionTruncatedException;
import dev.carillon.shm.fault.PeerViolation;
import dev.carillon.shm.ring.EntryLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Room for one frame that was claimed on a link: its bytes are written where the peer will read them, and {@link #commit}
 * sends it.
 *
 * <pre>{@code
 * try (SlotWriter claim = link.awaitClaim(size, Duration.ofSeconds(1))) {
 *     if (claim != null) {
 *         encode(image, claim.bytes());
 *         claim.commit(IMAGE, 0, id);
 *     }                                  // else link.claimRefusal() tells why
 * }
 * }</pre>
 *
 * <p>A claim has its entry of the ring and, if it needs one, its slot: the commit never finds the link full. A frame that
 * fits into an entry is written beside the ring and copied there by the commit; a longer one is written into its slot, and
 * nothing is copied. Frames that are sent while a claim is open go before it.
 *
 * <p>A link has one of these, and each claim opens it again; none of its methods makes an object.
 *
 * <p><b>Threading:</b> the sending thread's.
 *
 * <p><b>Ownership:</b> whoever claims commits, aborts or closes; the close of the link releases a claim that is open.
 */
// r[impl shm.claim]
public final class SlotWriter implements AutoCloseable {
    private final LinkLife life;
    private final LinkSender sender;
    private final SendTurn turn;
    private final SenderCheck check;
    private final ByteBuffer inline;

    /** CLAIMED or not; taken back by who commits or aborts, or by the close of the link, whoever is first. */
    private final AtomicBoolean open = new AtomicBoolean();

    /** Per slot its bytes, made when they are first needed; null after the close of the link. */
    private volatile @Nullable ByteBuffer @Nullable [] views;

    private int slot = EntryLayout.INLINE;
    private int length;
    private ByteBuffer bytes;

    SlotWriter(LinkLife life, LinkSender sender, SendTurn turn, SenderCheck check) {
        this.life = life;
        this.sender = sender;
        this.turn = turn;
        this.check = check;
        inline = ByteBuffer.allocate(sender.inlineBytes()).order(ByteOrder.nativeOrder());
        bytes = inline;
        views = new ByteBuffer[sender.slots()];
    }

    /**
     * Opens it.
     *
     * @return why not, null if it is open
     */
    @Nullable
    SendResult claim(int wanted, LinkBuffer buffer) {
        if (wanted < 0) {
            throw new IllegalArgumentException("length=" + wanted + ": a frame has 0 bytes or more");
        }
        if (open.get()) {
            throw new IllegalStateException(
                    "a claim of " + length + " bytes is open: commit() or abort() it before the next one");
        }
        SendResult refusal = sender.refusal(wanted);
        if (refusal != null) {
            return refusal;
        }
        int free = sender.peek(wanted);
        if (free == LinkSender.NO_SLOT) {
            return SendResult.NO_SLOT;
        }
        // First what needs memory of the heap: a slot that was claimed before would be lost if there is none.
        ByteBuffer room = view(free, buffer).clear().limit(wanted).order(ByteOrder.nativeOrder());
        sender.take(free);
        slot = free;
        length = wanted;
        bytes = room;
        sender.reserve();
        open.set(true);
        if (!life.isOpen()) {
            letGo();
            life.ensureUsable();
        }
        return null;
    }

    // r[impl shm.heap]
    private ByteBuffer view(int claimed, LinkBuffer buffer) {
        if (claimed == EntryLayout.INLINE) {
            return inline;
        }
        @Nullable ByteBuffer[] all = views;
        ByteBuffer known = all == null ? null : all[claimed];
        if (known != null) {
            return known;
        }
        ByteBuffer made = buffer.get().slice(sender.slotOffset(claimed), sender.slotBytes(claimed));
        if (all != null) {
            all[claimed] = made;
        }
        return made;
    }

    /** Whether there is a claim to be committed or aborted. */
    public boolean isOpen() {
        return open.get();
    }

    /** How many bytes were claimed. */
    public int length() {
        ensureOpen();
        return length;
    }

    /**
     * The bytes to be written, from index 0 to the claimed length, in native order. They hold what an earlier frame has left.
     * After the commit or the abort they belong to somebody else.
     */
    public ByteBuffer bytes() {
        ByteBuffer claimed = bytes;
        ensureOpen();
        return claimed;
    }

    /** Sends all bytes that were claimed, as {@link #commit(int, int, long, int)}. */
    public SendResult commit(int type, int flags, long id) {
        return commit(type, flags, id, length);
    }

    /**
     * Sends the frame, with the first bytes of what was claimed. The claim is over.
     *
     * @param type what it means to the receiver, 0 to 0xFEFF
     * @param flags 0 to 0xFFFF
     * @param id any number
     * @param used how many of the claimed bytes the frame has
     * @return SENT, or PEER_GONE
     * @throws IllegalStateException if there is no claim: it was committed or aborted before
     * @throws ClosedException if the link was closed meanwhile
     */
    public SendResult commit(int type, int flags, long id, int used) {
        Frame.ensureUsers(type, flags);
        boolean entered = check.enter(life);
        turn.take();
        try {
            ensureOpen();
            if (used < 0 || used > length) {
                throw new IllegalArgumentException("length=" + used + ": " + length + " bytes were claimed");
            }
            sender.ensureNoBatch();
            takeBack();
            if (!life.carries()) {
                sender.abort(slot);
                return life.gone();
            }
            sender.commit(slot, type, flags, id, bytes.clear(), used);
            life.ensureThere();
            return SendResult.SENT;
        } catch (PeerViolation | RegionTruncatedException | ClosedException | InternalError faulty) {
            throw life.failed(faulty);
        } finally {
            turn.give();
            check.exit(entered);
        }
    }

    /**
     * Gives the room back; nothing is sent.
     *
     * @throws IllegalStateException if there is no claim: it was committed or aborted before
     */
    public void abort() {
        boolean entered = check.enter(life);
        turn.take();
        try {
            sender.ensureNoBatch();
            takeBack();
            sender.abort(slot);
            life.ensureThere();
        } catch (PeerViolation | RegionTruncatedException | ClosedException | InternalError faulty) {
            throw life.failed(faulty);
        } finally {
            turn.give();
            check.exit(entered);
        }
    }

    /** Gives the room back if the claim is still open, and does nothing otherwise. */
    @Override
    public void close() {
        if (open.get() && life.isOpen()) {
            abort();
        }
    }

    private void takeBack() {
        if (!open.compareAndSet(true, false)) {
            throw over();
        }
    }

    private void ensureOpen() {
        if (!open.get()) {
            throw over();
        }
    }

    private RuntimeException over() {
        life.ensureUsable();
        return new IllegalStateException(
                "there is no claim: it was committed, aborted, or refused; claim again with tryClaim() or awaitClaim()");
    }

    /** The link is being closed, by any thread: nobody can commit any more. */
    void letGo() {
        views = null;
        if (open.compareAndSet(true, false)) {
            sender.abandon(slot);
        }
        // A closed link that is kept by somebody does not keep its addresses.
        bytes = inline;
    }

    @Override
    public String toString() {
        return open.get() ? "SlotWriter[length=" + length + "]" : "SlotWriter[no claim]";
    }
}
