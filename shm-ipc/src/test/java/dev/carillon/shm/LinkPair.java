package dev.carillon.shm;

import dev.carillon.sys.LibC;
import dev.carillon.sys.call.Sys;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Both ends of a link in one process, each with its own mapping. */
final class LinkPair implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(30);

    /** For waits under test: longer than any test, so that none is ended by its deadline, and no lost wakeup is hidden. */
    static final Duration LONG = Duration.ofMinutes(10);

    static final Duration NO_TIME = Duration.ZERO;

    final ShmHost hostSide = ShmHost.create();
    final PeerTicket ticket;
    final ShmLink host;
    final ShmLink guest;

    LinkPair(LinkConfig config) {
        this(config, 0);
    }

    LinkPair(LinkConfig config, long start) {
        ticket = hostSide.addPeer(config, start);
        host = ticket.link();
        guest = attach(ticket);
    }

    /** As a guest would that has inherited both descriptors. */
    static ShmLink attach(PeerTicket ticket) {
        return attach(ticket, ticket.bellNumber());
    }

    /** With a bell of the caller's: the host closes its own in time. */
    static ShmLink attach(PeerTicket ticket, int bellNumber) {
        int memory = copy(ticket.memoryNumber());
        int bell = copy(bellNumber);
        boolean attached = false;
        try {
            ShmLink link = ShmGuest.attach(memory, bell);
            attached = true;
            return link;
        } finally {
            if (!attached) {
                LibC.get().close(memory);
                LibC.get().close(bell);
            }
        }
    }

    private static int copy(int number) {
        var copy = Sys.get().descriptors().duplicateFrom(number, 0);
        int own = copy.acquire();
        // The test hands it over: its number belongs to the link from now on.
        return own;
    }

    static ByteBuffer bytes(int length, int seed) {
        ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
        for (int i = 0; i < length; i++) {
            bytes.put(i, (byte) (seed * 31 + i));
        }
        return bytes;
    }

    static Frame text(String text) {
        return Frame.of(1, 0, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    static String text(Frame frame) {
        return StandardCharsets.UTF_8.decode(frame.payload()).toString();
    }

    @Override
    public void close() {
        guest.close();
        hostSide.close();
        ticket.close();
    }
}
