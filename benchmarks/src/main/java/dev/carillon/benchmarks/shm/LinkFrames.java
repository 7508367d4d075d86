package dev.carillon.benchmarks.shm;

import dev.carillon.shm.Frame;
import dev.carillon.shm.FrameHandler;
import dev.carillon.shm.LinkConfig;
import dev.carillon.shm.SendResult;
import dev.carillon.shm.ShmChannel;
import dev.carillon.shm.ShmLink;
import dev.carillon.shm.SlotWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One frame over a link each, for JMH; both ends are in this process. */
@State(Scope.Thread)
public class LinkFrames {
    private static final int SHORT = 64;
    private static final int LONG = 16 << 10;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Ends ends = Ends.open();
    private final Frame shortFrame = Frame.of(1, 0, ByteBuffer.allocate(SHORT));
    private final Frame longFrame = Frame.of(1, 0, ByteBuffer.allocate(LONG));
    private final FrameHandler handler = this::onFrame;
    private long seen;

    private record Ends(LinkHost host, ShmLink link, ShmLink guest, ShmChannel channel, ShmChannel accepted) {
        static Ends open() {
            try {
                LinkHost host = new LinkHost(LinkConfig.defaults());
                ShmLink guest = LinkHost.guestOf(host.address());
                ShmChannel channel = host.link().openChannel();
                ShmChannel accepted = Objects.requireNonNull(guest.acceptChannel(PATIENCE), "no channel came");
                return new Ends(host, host.link(), guest, channel, accepted);
            } catch (Exception e) {
                throw new IllegalStateException("the link could not be opened", e);
            }
        }
    }

    private void onFrame(Frame frame) {
        seen += frame.getLong(0) + 1;
    }

    private long received(SendResult sent) {
        return counted(sent, ends.guest().poll(handler, 1));
    }

    private long counted(SendResult sent, int received) {
        if (sent != SendResult.SENT || received != 1) {
            throw new IllegalStateException("a frame was not received: " + sent);
        }
        return seen;
    }

    private SendResult claimed(int length) {
        SlotWriter claim = ends.link().tryClaim(length);
        if (claim == null) {
            throw new IllegalStateException(
                    "nothing was claimed: " + ends.link().claimRefusal());
        }
        claim.bytes().putLong(0, seen);
        return claim.commit(1, 0, seen);
    }

    /** A frame in an entry of the ring. */
    @Benchmark
    public long shortFrame() {
        return received(ends.link().trySend(shortFrame));
    }

    /** A frame in a slot. */
    @Benchmark
    public long longFrame() {
        return received(ends.link().trySend(longFrame));
    }

    /** A frame that is claimed, written in place and committed, in an entry. */
    @Benchmark
    public long shortClaim() {
        return received(claimed(SHORT));
    }

    /** The same, in a slot. */
    @Benchmark
    public long longClaim() {
        return received(claimed(LONG));
    }

    /** A frame on a channel, which the link receives and grants anew. */
    @Benchmark
    public long channelFrame() {
        return received(ends.channel().trySend(shortFrame));
    }

    /** The same, which the channel receives itself. */
    @Benchmark
    public long channelsOwnFrame() {
        return counted(ends.channel().trySend(longFrame), ends.accepted().poll(handler, 1));
    }

    /** Gives the memory back. */
    @TearDown
    public void close() {
        ends.guest().close();
        ends.host().close();
    }
}
