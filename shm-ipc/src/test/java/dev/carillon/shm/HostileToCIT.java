package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.memory.OrderedBytes;
import dev.carillon.process.Child;
import dev.carillon.shm.segment.DirectionLayout;
import dev.carillon.shm.segment.SegmentLayout;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.Seeded;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A host that writes nonsense, and a guest in C that is compiled to end at the first access outside of its memory. */
final class HostileToCIT {
    private static final int ROUNDS = Boolean.getBoolean("carillon.stress") ? 1_000 : 40;
    private static final SegmentLayout LAYOUT = LinkConfig.defaults().layout();
    private static final DirectionLayout IN = LAYOUT.toGuest();
    private static final DirectionLayout OUT = LAYOUT.toHost();

    /** A frame in a slot, and one without. */
    private static final long LONG_ONE = Stream.iterate(0L, id -> id + 1)
            .filter(id -> MixedFrames.frame(id).length() > 1_024)
            .findFirst()
            .orElseThrow();

    @TempDir
    private static Path shared;

    private static GuestInC guest = new GuestInC(Path.of("never"), Path.of("never"));

    private final EventLoop loop = EventLoop.open().start();
    private final List<Fd> bells = new ArrayList<>();

    @BeforeAll
    static void compile() {
        guest = GuestInC.compileSanitized(shared);
    }

    @AfterEach
    void closeAll() {
        bells.forEach(Fd::close);
        loop.close();
    }

    /** It does not hang up as long as this is open: a host kills a child that has let go of its end, and runs on. */
    private static Fd bellOf(PeerTicket ticket) {
        return Sys.get().descriptors().duplicateFrom(ticket.bellNumber(), 0);
    }

    /** What is written, and what the guest says of it. */
    private enum Nonsense {
        HEAD_FAR_AHEAD("head=") {
            @Override
            void write(OrderedBytes bytes) {
                bytes.putLongVolatile(IN.head(), head(bytes) + IN.ringEntries() + 1);
            }
        },
        HEAD_BACK("head=") {
            @Override
            void write(OrderedBytes bytes) {
                bytes.putLongVolatile(IN.head(), head(bytes) - 1);
            }
        },
        TAIL_BEYOND_THE_HEAD("tail=") {
            @Override
            void write(OrderedBytes bytes) {
                bytes.putLongVolatile(OUT.tail(), bytes.getLongVolatile(OUT.head()) + 5);
                entry(bytes, 1, 0, 0, 0, 0);
            }
        },
        NO_SUCH_SLOT("an entry with") {
            @Override
            void write(OrderedBytes bytes) {
                entry(bytes, 1, 0, 10, IN.slots() + 1, 0);
            }
        },
        THE_LAST_SLOT_OF_ALL("an entry with") {
            @Override
            void write(OrderedBytes bytes) {
                entry(bytes, 1, 0, 10, -1, 0);
            }
        },
        LONGER_THAN_AN_ENTRY("an entry with") {
            @Override
            void write(OrderedBytes bytes) {
                entry(bytes, 1, 0, IN.inlineBytes() + 1, 0, 0);
            }
        },
        LONGER_THAN_ITS_SLOT("an entry with") {
            @Override
            void write(OrderedBytes bytes) {
                bytes.putLongVolatile(IN.slotWord(7), 2);
                entry(bytes, 1, 0, IN.slotBytes(7) + 1, 8, 0);
            }
        },
        NEGATIVE_LENGTH("an entry with") {
            @Override
            void write(OrderedBytes bytes) {
                entry(bytes, 1, 0, -1, 0, 0);
            }
        },
        ANOTHER_GENERATION("an entry with") {
            @Override
            void write(OrderedBytes bytes) {
                bytes.putLongVolatile(IN.slotWord(7), 9L << 32 | 2);
                entry(bytes, 1, 0, 10, 8, 9);
            }
        },
        NOT_IN_FLIGHT("the word of slot 7") {
            @Override
            void write(OrderedBytes bytes) {
                entry(bytes, 1, 0, 10, 8, 0);
            }
        },
        DATA_ON_A_CHANNEL("an entry with channel 10002") {
            @Override
            void write(OrderedBytes bytes) {
                entry(bytes, 1, 0x10002, 0, 0, 0);
            }
        },
        ANOTHER_CONTROL_FRAME("a control frame of type ff05") {
            @Override
            void write(OrderedBytes bytes) {
                entry(bytes, 0xff05, 0, 0, 0, 0);
            }
        },
        A_CHANNEL_OF_THE_GUEST("a control frame of type ff00") {
            @Override
            void write(OrderedBytes bytes) {
                bytes.putLong(next(bytes) + 8, 0x10003);
                entry(bytes, 0xff00, 0, 0, 0, 0);
            }
        },
        ITS_SLOTS_TAKEN_AWAY("the word of slot") {
            @Override
            void write(OrderedBytes bytes) {
                for (int slot = 0; slot < OUT.slots(); slot++) {
                    bytes.putLongVolatile(OUT.slotWord(slot), 0x7777);
                }
                int large = IN.slots() - 1;
                long generation = bytes.getLongVolatile(IN.slotWord(large)) >>> 32;
                bytes.putLongVolatile(IN.slotWord(large), generation << 32 | 2);
                entry(bytes, 1, 0, 1_000, large + 1, (int) generation);
            }
        },
        LINK_WORD("the link word is 0000000000007777") {
            @Override
            void write(OrderedBytes bytes) {
                bytes.putLongVolatile(SegmentLayout.LINK_WORD, 0x7777);
            }
        },
        RESERVED_AGAIN("the link word is") {
            @Override
            void write(OrderedBytes bytes) {
                bytes.putLongVolatile(SegmentLayout.LINK_WORD, 0x101);
            }
        };

        private final String said;

        Nonsense(String said) {
            this.said = said;
        }

        abstract void write(OrderedBytes bytes);

        private static long head(OrderedBytes bytes) {
            return bytes.getLongVolatile(IN.head());
        }

        private static int next(OrderedBytes bytes) {
            return IN.entry((int) head(bytes) & (IN.ringEntries() - 1));
        }

        /** Publishes one; its id stays as it is. */
        private static void entry(OrderedBytes bytes, int type, int channel, int length, int slot, int generation) {
            int at = next(bytes);
            bytes.putLong(at, (long) channel << 32 | type);
            bytes.putLong(at + 16, (long) slot << 32 | (length & 0xffff_ffffL));
            bytes.putLong(at + 24, generation & 0xffff_ffffL);
            bytes.putLongVolatile(IN.head(), head(bytes) + 1);
        }
    }

    // r[verify shm.ring.capacity] r[verify shm.descriptor]
    @ParameterizedTest
    @EnumSource(Nonsense.class)
    void itSaysWhatIsWrongAndEndsTheLink(Nonsense nonsense) throws Exception {
        try (ShmHost host = ShmHost.create();
                ShmHost other = ShmHost.create()) {
            PeerTicket ticket = host.addPeer(LinkConfig.defaults());
            bells.add(bellOf(ticket));
            Child child = guest.spawn(host, ticket, loop);
            MixedFrames.exchange(ticket.link(), LONG_ONE, LONG_ONE + 20);
            try (MemoryRegion memory = MemoryRegion.ofDescriptor(ticket.memoryNumber(), Access.READ_WRITE)) {
                nonsense.write(memory.bytes());
            }
            String end = guest.end(child);
            assertTrue(end.startsWith("exit code 3\n"), end);
            assertTrue(end.contains("faulty host: " + nonsense.said), end);
            Deadline.after(LIMIT)
                    .await("the link is over", () -> ticket.link().peerState().isOver());
            PeerTicket undisturbed = other.addPeer(LinkConfig.defaults());
            Child neighbour = guest.spawn(other, undisturbed, loop);
            MixedFrames.exchange(undisturbed.link(), 0, 20);
            undisturbed.link().close();
            assertTrue(guest.end(neighbour).startsWith("exit code 0\n"), guest::output);
        }
    }

    /** The header is not read again, and no value of an event word does more than cost a system call. */
    @Test
    void aHeaderThatIsOverwrittenAndWordsOfEventsDisturbNothing(@Seeded SplittableRandom random) throws Exception {
        try (ShmHost host = ShmHost.create()) {
            PeerTicket ticket = host.addPeer(LinkConfig.defaults());
            Child child = guest.spawn(host, ticket, loop);
            MixedFrames.exchange(ticket.link(), 0, 20);
            try (MemoryRegion memory = MemoryRegion.ofDescriptor(ticket.memoryNumber(), Access.READ_WRITE)) {
                OrderedBytes bytes = memory.bytes();
                for (int offset = 0; offset < SegmentLayout.LINK_WORD; offset += Long.BYTES) {
                    bytes.putLongVolatile(offset, random.nextLong());
                }
                Waiting<Boolean> disturbing = Waiting.on(() -> {
                    for (int i = 0; i < 20_000; i++) {
                        for (DirectionLayout at : new DirectionLayout[] {IN, OUT}) {
                            bytes.putIntVolatile(at.dataEvent() + 4, random.nextInt());
                            bytes.putIntVolatile(at.spaceEvent() + 4, random.nextInt());
                            bytes.putIntVolatile(at.slotEvent() + 4, random.nextInt());
                        }
                    }
                    return true;
                });
                MixedFrames.exchange(ticket.link(), 20, 2_000);
                assertTrue(disturbing.result());
                MixedFrames.exchange(ticket.link(), 2_000, 3_000);
            }
            ticket.link().close();
            assertTrue(guest.end(child).startsWith("exit code 0\n"), guest::output);
        }
    }

    // r[verify shm.attach.validate]
    @Test
    void whateverIsWrittenItEndsByItself(@Seeded SplittableRandom random) throws Exception {
        int[] codes = new int[5];
        for (int i = 0; i < ROUNDS; i++) {
            try (ShmHost host = ShmHost.create()) {
                PeerTicket ticket = host.addPeer(LinkConfig.defaults());
                try (MemoryRegion memory = MemoryRegion.ofDescriptor(ticket.memoryNumber(), Access.READ_WRITE);
                        Fd bell = bellOf(ticket)) {
                    boolean before = i % 4 == 0;
                    if (i == 0) {
                        // Some of the others change nothing that is read.
                        memory.bytes().putLongVolatile(0, 0);
                    } else if (before) {
                        mutate(memory.bytes(), random.nextInt(96) * Long.BYTES, random);
                    }
                    Child child = guest.spawn(host, ticket, loop);
                    Waiting<Long> sending = Waiting.on(() -> MixedFrames.send(ticket.link(), 0, Long.MAX_VALUE));
                    Waiting<Long> receiving = Waiting.on(() -> MixedFrames.receive(ticket.link(), 0, Long.MAX_VALUE));
                    if (!before) {
                        receivesOrFails(ticket.link());
                        for (int m = 0; m < 20; m++) {
                            mutate(memory.bytes(), place(random), random);
                        }
                    }
                    // Wherever both wait now, the host leaves.
                    ticket.link().close();
                    int code = code(guest.end(child));
                    codes[code]++;
                    assertTrue(code == 0 || code >= 2, () -> guest.output() + bell);
                    sending.ended();
                    receiving.ended();
                }
            }
        }
        System.out.println(
                "left " + codes[0] + ", not attached " + codes[2] + ", faulty " + codes[3] + ", died " + codes[4]);
        assertTrue(codes[2] > 0 && codes[3] > 0, "each kind of end");
    }

    private static void receivesOrFails(ShmLink link) {
        Deadline.after(LIMIT)
                .await(
                        "frames come back",
                        () -> link.stats().framesReceived() > 10
                                || link.peerState().isOver());
    }

    /** A word that is used, and not always the same. */
    private static int place(SplittableRandom random) {
        DirectionLayout at = random.nextBoolean() ? IN : OUT;
        int place = switch (random.nextInt(6)) {
            case 0 -> random.nextBoolean() ? at.head() : at.tail();
            case 1 -> at.slotWord(random.nextInt(at.slots()));
            case 2 -> SegmentLayout.LINK_WORD;
            case 3 -> at.granted(random.nextInt(at.channels())) + 8 * random.nextInt(3);
            default -> at.entry(random.nextInt(at.ringEntries())) + 8 * random.nextInt(4);
        };
        return place;
    }

    private static void mutate(OrderedBytes bytes, int offset, SplittableRandom random) {
        long before = bytes.getLongVolatile(offset);
        long after = switch (random.nextInt(4)) {
            case 0 -> random.nextLong();
            case 1 -> before ^ 1L << random.nextInt(64);
            case 2 -> before + random.nextInt(-3, 4);
            default -> 0;
        };
        bytes.putLongVolatile(offset, after);
    }

    private static int code(String end) {
        assertTrue(end.startsWith("exit code "), end);
        int code = Integer.parseInt(end.substring(10, end.indexOf('\n')));
        assertTrue(code <= 4, end);
        return code;
    }

    /** It takes no memory of another kind. */
    // r[verify shm.attach.validate]
    @Test
    void memoryThatIsNotSealedIsRefused() throws Exception {
        try (ShmHost host = ShmHost.create(
                shared.resolve("host"), HostConfig.builder().inFiles().build())) {
            PeerTicket ticket = host.addPeer(LinkConfig.defaults());
            Child child = guest.spawn(host, ticket, loop);
            assertEquals("exit code 2", Futures.get(child.exit()).toString());
            assertTrue(guest.output().contains("no memfd that is sealed"), guest::output);
        }
    }
}
