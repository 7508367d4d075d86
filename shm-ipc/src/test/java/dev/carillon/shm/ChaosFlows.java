package dev.carillon.shm;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Both directions of a link, as long as its peer lives: a thread sends, and the caller receives. */
final class ChaosFlows {
    static final Duration LIMIT = Duration.ofMinutes(2);

    /** Small, so that all limits are met all the time. */
    static final LinkConfig CONFIG = LinkConfig.builder()
            .ring(16)
            .slots(1024, 4)
            .slots(NumberedFlow.LONGEST / 64 * 64 + 64, 2)
            .build();

    private static final int KEEP_EACH = 5;

    private final ShmLink link;
    private final NumberedFlow out;
    private final NumberedFlow in;
    private final Thread sender;

    /** Beyond its handler; one at a time, so that its sender has slots. */
    private @Nullable Frame kept;

    private volatile @Nullable Throwable failure;

    ChaosFlows(ShmLink link, long outSeed, long inSeed) {
        this.link = link;
        out = new NumberedFlow(outSeed);
        in = new NumberedFlow(inSeed);
        sender = new Thread(this::send, "chaos sender of " + link.peerId());
    }

    void start() {
        sender.start();
    }

    private void send() {
        try {
            while (true) {
                out.sendOne(link);
            }
        } catch (IllegalStateException | NullPointerException ended) {
            // Of this process, be it by the peer's end. Anything else is a failure.
            if (!link.peerState().isOver() || ended instanceof FaultyPeerException) {
                failure = ended;
            }
        } catch (InterruptedException | RuntimeException | Error unexpected) {
            failure = unexpected;
        }
    }

    /** Receives until the peer is gone and all is received that it had published. */
    void receiveAll() throws InterruptedException {
        FrameHandler taking = this::take;
        while (link.awaitData(LIMIT)) {
            link.poll(taking, 8);
        }
        letGo();
        sender.join(LIMIT.toMillis());
        NumberedFlow.ensure(link.peerState().isOver(), "no frame, and the peer is " + link.peerState(), in);
        NumberedFlow.ensure(!sender.isAlive(), "the sender still waits", out);
        Throwable failed = failure;
        if (failed != null) {
            throw new AssertionError("the sender has failed after " + out.count() + " frames", failed);
        }
    }

    /** Checks a frame against what was sent, in its turn; some are kept for a while, and are still the same then. */
    private void take(Frame frame) {
        in.take(frame);
        if (in.count() % KEEP_EACH == 0) {
            letGo();
            kept = frame.retain();
        }
    }

    private void letGo() {
        Frame last = kept;
        if (last != null) {
            NumberedFlow.ensureIntact(last);
            last.release();
            kept = null;
        }
    }

    long received() {
        return in.count();
    }

    long sent() {
        return out.count();
    }
}
