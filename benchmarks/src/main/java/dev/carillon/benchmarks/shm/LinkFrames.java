package dev.carillon.benchmarks.shm;

import dev.carillon.shm.Frame;
import dev.carillon.shm.FrameHandler;
import dev.carillon.shm.LinkConfig;
import dev.carillon.shm.SendResult;
import dev.carillon.shm.ShmLink;
import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One frame over a link each, for JMH; both ends are in this process. */
@State(Scope.Thread)
public class LinkFrames {
    private static final int SHORT = 64;
    private static final int LONG = 16 << 10;

    private final Ends ends = Ends.open();
    private final Frame shortFrame = Frame.of(1, 0, ByteBuffer.allocate(SHORT));
    private final Frame longFrame = Frame.of(1, 0, ByteBuffer.allocate(LONG));
    private final FrameHandler handler = this::onFrame;
    private long seen;

    private record Ends(LinkHost host, ShmLink link, ShmLink guest) {
        static Ends open() {
            try {
                LinkHost host = new LinkHost(LinkConfig.defaults());
                ShmLink guest = LinkHost.guestOf(host.address());
                return new Ends(host, host.link(), guest);
            } catch (Exception e) {
                throw new IllegalStateException("the link could not be opened", e);
            }
        }
    }

    private void onFrame(Frame frame) {
        seen += frame.getLong(0) + 1;
    }

    private long sent(Frame frame) {
        SendResult result = ends.link().trySend(frame);
        if (result != SendResult.SENT || ends.guest().poll(handler, 1) != 1) {
            throw new IllegalStateException("a frame was not received: " + result);
        }
        return seen;
    }

    /** A frame in an entry of the ring. */
    @Benchmark
    public long shortFrame() {
        return sent(shortFrame);
    }

    /** A frame in a slot. */
    @Benchmark
    public long longFrame() {
        return sent(longFrame);
    }

    /** Gives the memory back. */
    @TearDown
    public void close() {
        ends.guest().close();
        ends.host().close();
    }
}
