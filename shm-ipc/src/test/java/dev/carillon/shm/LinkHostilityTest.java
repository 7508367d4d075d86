package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.shm.segment.DirectionLayout;
import dev.carillon.shm.segment.SegmentLayout;
import dev.carillon.test.Seeded;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A peer that writes what it wants where it wants. */
final class LinkHostilityTest {
    private static final int LINKS = Boolean.getBoolean("carillon.stress") ? 20_000 : 2_000;
    private static final int STEPS = 60;
    private static final Duration SOON = Duration.ofMillis(1);
    static final LinkConfig SMALL = LinkConfig.builder()
            .ring(8)
            .slots(256, 2)
            .slots(1024, 2)
            .channels(8)
            .window(2000)
            .build();

    /**
     * Either side sees frames, or a failure that says what is wrong; never an error from inside, and never no end. Another guest of
     * the same host notices nothing.
     */
    @Test
    void garbageInTheMemoryEndsTheLinkWithAReason(@Seeded SplittableRandom random) throws Exception {
        int refused = 0;
        int failed = 0;
        try (ShmHost host = ShmHost.create()) {
            PeerTicket ticketOfOther = host.addPeer(SMALL);
            try (ShmLink other = LinkPair.attach(ticketOfOther)) {
                for (int i = 0; i < LINKS; i++) {
                    PeerTicket ticket = host.addPeer(SMALL);
                    try (ShmLink link = ticket.link();
                            MemoryRegion memory = MemoryRegion.ofDescriptor(ticket.memoryNumber(), Access.READ_WRITE)) {
                        ShmLink guest = attached(ticket, memory.bytes(), i % 4 == 0, random);
                        refused += guest == null ? 1 : 0;
                        failed += guest != null && exchange(link, guest, memory.bytes(), random) ? 1 : 0;
                    }
                    ticket.close();
                    Frame frame = Frame.of(1, i, bytes(i % 900, i));
                    assertEquals(SendResult.SENT, other.trySend(frame));
                    Frame received = Objects.requireNonNull(ticketOfOther.link().receive(LinkPair.LIMIT));
                    assertEquals(i, received.id());
                    assertEquals(bytes(i % 900, i), received.payload());
                }
            }
        }
        int links = LINKS;
        int noticed = failed;
        int before = refused;
        System.out.println(
                failed + " of " + LINKS + " links have failed, and " + refused + " guests have refused to attach");
        assertTrue(noticed > links / 10, () -> "only " + noticed + " of " + links + " links have noticed");
        assertTrue(before > links / 20, () -> "only " + before + " guests have refused");
    }

    /** Null if what the host has made makes no sense any more. */
    private static @Nullable ShmLink attached(
            PeerTicket ticket, OrderedBytes memory, boolean mutated, SplittableRandom random) {
        try {
            for (int i = mutated ? random.nextInt(1, 4) : 0; i > 0; i--) {
                if (random.nextBoolean()) {
                    memory.putByte(random.nextInt(SegmentLayout.LINK_WORD), (byte) random.nextInt());
                } else {
                    mutate(memory, random);
                }
            }
            return LinkPair.attach(ticket);
        } catch (SegmentFormatException | FaultyPeerException told) {
            return null;
        } catch (IllegalStateException told) {
            // Of a link word that says that another guest was faster, or that the host has left.
            assertTrue(told.toString().contains("no longer reserved"), told::toString);
            return null;
        }
    }

    private static boolean exchange(ShmLink host, ShmLink guest, OrderedBytes memory, SplittableRandom random)
            throws InterruptedException {
        List<ShmChannel> channels = new ArrayList<>();
        try (guest) {
            for (int step = 0; step < STEPS; step++) {
                ShmLink one = random.nextBoolean() ? host : guest;
                switch (random.nextInt(8)) {
                    case 0 -> one.trySend(Frame.of(step, step, bytes(random.nextInt(1200), step)));
                    case 1 -> one.poll(frame -> assertTrue(frame.payload().remaining() == frame.length()), 4);
                    case 2 -> one.send(Frame.of(step, step, bytes(random.nextInt(1200), step)), SOON);
                    case 3 -> one.receive(SOON);
                    case 4 -> useChannels(one, channels, random);
                    case 5 -> mutateChannels(memory, random);
                    default -> mutate(memory, random);
                }
            }
            return false;
        } catch (FaultyPeerException told) {
            assertTrue(told.toString().contains("has failed"), told::toString);
            return true;
        }
    }

    private static void useChannels(ShmLink one, List<ShmChannel> channels, SplittableRandom random)
            throws InterruptedException {
        ShmChannel accepted = one.acceptChannel(Duration.ZERO);
        if (accepted != null) {
            channels.add(accepted);
        } else if (channels.isEmpty() || random.nextInt(4) == 0) {
            openOn(one, channels);
        }
        if (channels.isEmpty()) {
            return;
        }
        ShmChannel any = channels.get(random.nextInt(channels.size()));
        switch (random.nextInt(6)) {
            case 0 -> any.receive(Duration.ZERO);
            case 1 -> any.poll(frame -> assertTrue(frame.channel() == any.id()), 4);
            case 2 -> any.awaitCredit(500, SOON);
            case 3 -> any.close();
            case 4 -> any.reset();
            default -> any.trySend(Frame.of(1, 1, bytes(random.nextInt(900), 1)));
        }
    }

    private static void openOn(ShmLink one, List<ShmChannel> channels) {
        try {
            channels.add(one.openChannel());
        } catch (IllegalStateException none) {
            if (!none.toString().contains("in use")) {
                throw none;
            }
        }
    }

    /** Lines of credit, or an entry that may be a control frame or one of a channel. */
    private static void mutateChannels(OrderedBytes memory, SplittableRandom random) {
        SegmentLayout layout = SMALL.layout();
        DirectionLayout at = random.nextBoolean() ? layout.toGuest() : layout.toHost();
        int channel = random.nextInt(3) << 16 | random.nextInt(9);
        if (random.nextBoolean()) {
            int line = at.granted(random.nextInt(at.channels())) + random.nextInt(3) * Long.BYTES;
            memory.putLongVolatile(line, random.nextBoolean() ? random.nextInt(5_000) : (long) channel << 32 | channel);
        } else {
            int entry = at.entry(random.nextInt(at.ringEntries()));
            boolean isControl = random.nextBoolean();
            int type = isControl ? 0xFF00 + random.nextInt(5) : random.nextInt(4);
            memory.putLongVolatile(entry, type | (isControl ? 0 : (long) channel << 32));
            memory.putLongVolatile(entry + Long.BYTES, channel);
            memory.putLongVolatile(entry + 2 * Long.BYTES, isControl ? 0 : random.nextInt(96));
        }
    }

    /** Counters, events, the link word, entries or slot words: what the sides look at all the time. */
    static void mutate(OrderedBytes memory, SplittableRandom random) {
        SegmentLayout layout = SMALL.layout();
        DirectionLayout at = random.nextBoolean() ? layout.toGuest() : layout.toHost();
        int offset = switch (random.nextInt(6)) {
            case 0 -> SegmentLayout.LINK_WORD;
            case 1 -> random.nextBoolean() ? at.head() : at.tail();
            case 2 -> at.entry(random.nextInt(at.ringEntries())) + random.nextInt(4) * Long.BYTES;
            case 3 -> at.slotWord(random.nextInt(at.slots()));
            case 4 -> at.dataEvent() + random.nextInt(16) * Long.BYTES;
            default -> random.nextInt(memory.size() / Long.BYTES) * Long.BYTES;
        };
        memory.putLongVolatile(offset, random.nextBoolean() ? random.nextLong() : random.nextInt(16));
    }
}
