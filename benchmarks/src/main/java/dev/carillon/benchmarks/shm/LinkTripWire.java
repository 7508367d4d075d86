package dev.carillon.benchmarks.shm;

import dev.carillon.shm.Frame;
import dev.carillon.shm.FrameHandler;
import dev.carillon.shm.LinkConfig;
import dev.carillon.shm.SendResult;
import dev.carillon.shm.ShmLink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeoutException;

/** A link as its users have it: a host, and a guest that has come through the host's socket. */
final class LinkTripWire implements Wire {
    /** That of the link. */
    static final LinkConfig CONFIG = LinkConfig.defaults();

    private static final int TYPE = 1;

    private final boolean asleep;
    private final HostMaker hosts;

    /** Both sides sleep until a frame is there, or look for it all the time. */
    LinkTripWire(boolean asleep) {
        this(asleep, () -> new LinkHost(CONFIG));
    }

    /** As {@link #LinkTripWire(boolean)}, over a link of a host that may have other guests. */
    LinkTripWire(boolean asleep, HostMaker hosts) {
        this.asleep = asleep;
        this.hosts = hosts;
    }

    /** Makes the host, whose next guest is the one that answers. */
    @FunctionalInterface
    interface HostMaker {
        LinkHost make() throws Exception;
    }

    @Override
    public Outlet outlet(Traffic traffic) throws Exception {
        return new Caller(traffic, asleep, hosts.make());
    }

    @Override
    public Inlet inlet(Traffic traffic, String address) throws Exception {
        return new Answerer(traffic, LinkHost.guestOf(address), asleep);
    }

    /** The frame that one side sends over and over, with other bytes. */
    private static final class Message {
        private final ByteBuffer bytes;
        private final Frame frame;
        private final int stamps;

        Message(Traffic traffic) {
            bytes = ByteBuffer.allocateDirect(traffic.bytes()).order(ByteOrder.nativeOrder());
            frame = Frame.of(TYPE, 0, bytes);
            stamps = traffic.stamps();
        }

        void sendTo(ShmLink link, long number) throws IOException {
            for (int i = 0; i < stamps; i++) {
                bytes.putLong(i * Long.BYTES, number + i);
            }
            SendResult result = link.trySend(frame);
            if (result != SendResult.SENT) {
                throw new IOException("a frame was not sent: " + result);
            }
        }

        long sumOf(Frame received) {
            ByteBuffer payload = received.payload();
            int at = payload.position();
            long sum = 0;
            for (int i = 0; i < stamps; i++) {
                sum += payload.getLong(at + i * Long.BYTES);
            }
            return sum;
        }
    }

    private static final class Caller implements Outlet {
        private final boolean asleep;
        private final LinkHost host;
        private final Traffic traffic;
        private final Message message;
        private final FrameHandler handler = this::onFrame;
        private long answer;

        Caller(Traffic traffic, boolean asleep, LinkHost host) {
            this.traffic = traffic;
            this.asleep = asleep;
            this.host = host;
            message = new Message(traffic);
        }

        @Override
        public String address() {
            return host.address();
        }

        private void onFrame(Frame frame) {
            answer = message.sumOf(frame);
        }

        @Override
        public void send(long first, int count, Patience patience) throws Exception {
            ShmLink open = host.link();
            for (int i = 0; i < count; i++) {
                trip(open, first + i, patience);
            }
        }

        private void trip(ShmLink open, long number, Patience patience) throws Exception {
            message.sendTo(open, number);
            while (open.poll(handler, 1) == 0) {
                if (!asleep) {
                    patience.again();
                } else if (!open.awaitData(LinkHost.PATIENCE)) {
                    throw new TimeoutException("no answer came: " + open);
                }
            }
            if (answer != traffic.sum(number, 1)) {
                throw new IOException("the answer to " + number + " has other stamps, with the sum " + answer);
            }
        }

        @Override
        public void close() {
            host.close();
        }
    }

    private static final class Answerer implements Inlet {
        private final ShmLink link;
        private final boolean asleep;
        private final Message message;
        private final FrameHandler handler = this::onFrame;
        private long number;
        private long sum;

        Answerer(Traffic traffic, ShmLink link, boolean asleep) {
            this.link = link;
            this.asleep = asleep;
            message = new Message(traffic);
        }

        private void onFrame(Frame frame) {
            ByteBuffer payload = frame.payload();
            number = payload.getLong(payload.position());
            sum = message.sumOf(frame);
        }

        @Override
        public int receive(int most, Tally tally) throws Exception {
            if (link.poll(handler, 1) == 0) {
                if (!asleep) {
                    return 0;
                }
                if (!link.awaitData(LinkHost.PATIENCE) || link.poll(handler, 1) == 0) {
                    throw new TimeoutException("no frame came: " + link);
                }
            }
            tally.message(number, sum);
            message.sendTo(link, number);
            return 1;
        }

        @Override
        public void close() {
            link.close();
        }
    }
}
