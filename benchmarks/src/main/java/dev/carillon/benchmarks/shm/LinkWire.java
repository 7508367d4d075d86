package dev.carillon.benchmarks.shm;

import dev.carillon.shm.BatchWriter;
import dev.carillon.shm.Frame;
import dev.carillon.shm.FrameHandler;
import dev.carillon.shm.FrameWriter;
import dev.carillon.shm.LinkConfig;
import dev.carillon.shm.SendResult;
import dev.carillon.shm.ShmLink;
import dev.carillon.shm.SlotWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeoutException;

/**
 * A link as its users have it: {@code trySend}, {@code sendBatch} for batches, {@code tryClaim} for long messages that are
 * written in place, and {@code poll}. It tells sleepers, of which there are none.
 */
final class LinkWire implements Wire {
    private static final int SLOTS = 4;
    private static final int TYPE = 1;

    private final boolean inPlace;

    /** Long messages are copied to and from their slots, or written and read there. */
    LinkWire(boolean inPlace) {
        this.inPlace = inPlace;
    }

    @Override
    public Outlet outlet(Traffic traffic) throws Exception {
        LinkConfig.Builder config = LinkConfig.builder();
        if (!traffic.isSmall()) {
            config.slots(traffic.bytes(), SLOTS);
        }
        return new Sender(traffic, inPlace, new LinkHost(config.build()));
    }

    @Override
    public Inlet inlet(Traffic traffic, String address) throws Exception {
        return new Taker(traffic, inPlace, LinkHost.guestOf(address));
    }

    private static final class Sender implements Outlet {
        private final Traffic traffic;
        private final boolean inPlace;
        private final LinkHost host;
        private final ByteBuffer bytes;
        private final Frame frame;
        private final BatchWriter batch = this::write;
        private long next;

        Sender(Traffic traffic, boolean inPlace, LinkHost host) {
            this.traffic = traffic;
            this.inPlace = inPlace;
            this.host = host;
            bytes = ByteBuffer.allocate(traffic.bytes()).order(ByteOrder.nativeOrder());
            frame = Frame.of(TYPE, 0, bytes);
        }

        @Override
        public String address() {
            return host.address();
        }

        @Override
        public void send(long first, int count, Patience patience) throws Exception {
            ShmLink link = host.link();
            next = first;
            for (int done = 0; done < count; ) {
                if (traffic.batch() > 1) {
                    done += sendBatch(link, Math.min(traffic.batch(), count - done), patience);
                } else {
                    sendOne(link, patience);
                    done++;
                }
            }
        }

        private int sendBatch(ShmLink link, int most, Patience patience) throws TimeoutException {
            int sent = link.sendBatch(most, batch);
            if (sent == 0) {
                patience.again();
            }
            next += sent;
            return sent;
        }

        private boolean write(int index, FrameWriter writer) {
            long number = next + index;
            writer.begin(TYPE, 0, number, traffic.bytes());
            for (int i = 0; i < traffic.stamps(); i++) {
                writer.putLong(i * Long.BYTES, number + i);
            }
            return true;
        }

        private void sendOne(ShmLink link, Patience patience) throws Exception {
            long number = next++;
            if (inPlace) {
                SlotWriter claim = link.tryClaim(traffic.bytes());
                while (claim == null) {
                    patience.again();
                    claim = link.tryClaim(traffic.bytes());
                }
                stamp(claim.bytes(), number);
                claim.commit(TYPE, 0, number);
                return;
            }
            stamp(bytes, number);
            SendResult result = link.trySend(frame);
            while (result != SendResult.SENT) {
                if (result == SendResult.PEER_GONE) {
                    throw new IOException("the receiver has gone");
                }
                patience.again();
                result = link.trySend(frame);
            }
        }

        private void stamp(ByteBuffer target, long number) {
            for (int i = 0; i < traffic.stamps(); i++) {
                target.putLong(i * traffic.stride(), number + i);
            }
        }

        @Override
        public void close() {
            host.close();
        }
    }

    private static final class Taker implements Inlet {
        private final Traffic traffic;
        private final boolean inPlace;
        private final ShmLink link;
        private final ByteBuffer copy;
        private final FrameHandler handler = this::onFrame;
        private Tally tally = new Tally();

        Taker(Traffic traffic, boolean inPlace, ShmLink link) {
            this.traffic = traffic;
            this.inPlace = inPlace || traffic.isSmall();
            this.link = link;
            copy = ByteBuffer.allocate(traffic.bytes()).order(ByteOrder.nativeOrder());
        }

        @Override
        public int receive(int most, Tally counts) {
            tally = counts;
            return link.poll(handler, most);
        }

        /** The first stamp is the number. */
        private void onFrame(Frame frame) {
            long sum = 0;
            if (inPlace) {
                for (int i = 0; i < traffic.stamps(); i++) {
                    sum += frame.getLong(i * traffic.stride());
                }
                tally.message(frame.getLong(0), sum);
                return;
            }
            copy.clear().put(frame.payload());
            for (int i = 0; i < traffic.stamps(); i++) {
                sum += copy.getLong(i * traffic.stride());
            }
            tally.message(copy.getLong(0), sum);
        }

        @Override
        public void close() {
            link.close();
        }
    }
}
