package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.bytes;
import static dev.carillon.shm.audit.Rule.CREDIT;
import static dev.carillon.shm.audit.Rule.REGIONS;
import static dev.carillon.shm.audit.Rule.RING;
import static dev.carillon.shm.audit.Rule.SLEEPERS;
import static dev.carillon.shm.audit.Rule.SLOTS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.shm.audit.Moment;
import dev.carillon.shm.channel.ChannelId;
import dev.carillon.shm.channel.CreditPlace;
import dev.carillon.shm.ring.EntryLayout;
import dev.carillon.shm.segment.DirectionLayout;
import dev.carillon.shm.segment.LinkState;
import dev.carillon.shm.segment.LinkWord;
import dev.carillon.shm.segment.SegmentLayout;
import dev.carillon.shm.slot.SlotWord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each invariant is broken in the memory of a link, and found. */
// r[verify shm.audit]
final class LinkAuditTest {
    private static final int LONG_BYTES = 500;
    private static final int LISTENING = 2;

    private final AuditedLink link = new AuditedLink(LinkConfig.builder()
            .ring(8)
            .slots(512, 2)
            .slots(1024, 2)
            .channels(6)
            .window(2_000)
            .build());

    private final DirectionLayout at = link.toGuest();
    private final CreditPlace credit = new CreditPlace(at.credits(), at.channels(), at.window());

    @AfterEach
    void close() {
        link.close();
    }

    private void sendLong() {
        assertEquals(SendResult.SENT, link.pair.host.trySend(Frame.of(1, 1, bytes(LONG_BYTES, 1))));
    }

    private void sendShort() {
        assertEquals(SendResult.SENT, link.pair.host.trySend(Frame.of(1, 1, bytes(10, 1))));
    }

    private void word(int slot, int generation, int state) {
        link.bytes.putLongVolatile(at.slotWord(slot), SlotWord.of(generation, state));
    }

    /** Which slot the entry of a position names. */
    private int slotOf(int position) {
        return link.bytes.getInt(at.entry(position) + 20) - 1;
    }

    @Test
    void aNewLinkIsClean() {
        link.assertClean(Moment.QUIET);
        assertEquals(0, link.look(Moment.QUIET).remains().size());
    }

    @Test
    void aSlotWordWithoutMeaningIsFound() {
        word(1, 0, 7);
        link.assertFinds(SLOTS, "to guest: slot 1", "state=7");
    }

    @Test
    void anUnreadEntryWhoseSlotIsFreeOrClaimedIsFound() {
        sendLong();
        int slot = slotOf(0);
        word(slot, 0, SlotWord.FREE);
        link.assertFinds(SLOTS, "to guest: entry 0", "which is FREE");
        word(slot, 0, SlotWord.CLAIMED);
        link.assertFinds(SLOTS, "to guest: entry 0", "which is CLAIMED");
    }

    @Test
    void anUnreadEntryOfAnotherGenerationThanItsSlotIsFound() {
        sendLong();
        word(slotOf(0), 1, SlotWord.IN_FLIGHT);
        link.assertFinds(SLOTS, "to guest: entry 0", "generation=1");
    }

    @Test
    void aSlotThatTwoUnreadEntriesNameIsFound() {
        sendLong();
        sendLong();
        int freed = slotOf(1);
        link.bytes.putInt(at.entry(1) + 20, slotOf(0) + 1);
        word(freed, 0, SlotWord.FREE);
        link.assertFinds(SLOTS, "to guest: entry 0", "a later entry that is unread names slot");
    }

    @Test
    void aSlotThatIsHeldBeforeAnEarlierOneIsFound() {
        sendLong();
        sendLong();
        word(slotOf(1), 0, SlotWord.HELD);
        link.assertFinds(SLOTS, "to guest: entry 0", "a receiver takes them in their order");
        word(slotOf(0), 0, SlotWord.HELD);
        link.assertClean(Moment.ANY);
    }

    @Test
    void aSlotInFlightWithoutAnEntryIsFoundWhereAllIsQuiet() {
        word(3, 0, SlotWord.IN_FLIGHT);
        link.assertFindsInQuiet(SLOTS, "to guest: slot 3", "no entry was published");
    }

    @Test
    void aHeldSlotWhoseEntryIsUnreadIsFoundWhereAllIsQuiet() {
        sendLong();
        word(slotOf(0), 0, SlotWord.HELD);
        link.assertFindsInQuiet(SLOTS, "to guest: entry 0", "is held, and the entry is unread");
    }

    @Test
    void aClaimedSlotIsToldAndNoViolation() {
        try (SlotWriter claim = link.pair.host.tryClaim(LONG_BYTES)) {
            assertEquals(true, claim != null && claim.isOpen());
            link.assertClean(Moment.QUIET);
            assertEquals(
                    "it is claimed and was not sent",
                    link.look(Moment.QUIET).remains().get(0).what());
        }
        assertEquals(0, link.look(Moment.QUIET).remains().size());
    }

    @Test
    void countersThatDoNotFitTogetherAreFound() {
        link.bytes.putLongVolatile(at.tail(), 1);
        link.assertFinds(RING, "to guest: counters", "more is consumed than was published");
        link.bytes.putLongVolatile(at.tail(), 0);
        link.bytes.putLongVolatile(at.head(), 9);
        link.assertFinds(RING, "to guest: counters", "more is unread than the ring has entries");
        link.bytes.putLongVolatile(at.head(), -1);
        link.bytes.putLongVolatile(at.tail(), -1);
        link.assertFinds(RING, "to guest: counters", "before the start");
    }

    @Test
    void anEntryThatNoPeerWritesIsFound() {
        sendShort();
        int entry = at.entry(0);
        EntryLayout.putInline(link.bytes, entry, 1, 0, 0, 1, at.inlineBytes() + 1);
        link.assertFinds(RING, "to guest: entry 0", "an inline payload has 0 to 96 bytes");
        EntryLayout.putInline(link.bytes, entry, 1, 0, ChannelId.of(1, 6), 1, 5);
        link.assertFinds(RING, "to guest: entry 0", "its channel has the index 6");
        EntryLayout.put(link.bytes, entry, 1, 0, 0, 1, 5, 4, 0);
        link.assertFinds(RING, "to guest: entry 0", "its slot is 4, and there are 4");
        word(0, 0, SlotWord.IN_FLIGHT);
        EntryLayout.put(link.bytes, entry, 1, 0, 0, 1, 513, 0, 0);
        link.assertFinds(RING, "to guest: entry 0", "it has 513 bytes, and slot 0 has 512");
    }

    @Test
    void aControlFrameThatNoPeerWritesIsFound() {
        sendShort();
        int entry = at.entry(0);
        EntryLayout.putInline(link.bytes, entry, 0xff04, 0, 0, ChannelId.of(1, 2), 0);
        link.assertFinds(RING, "to guest: entry 0", "no control frame of type 65284");
        EntryLayout.putInline(link.bytes, entry, 0xff02, 0, 0, ChannelId.of(1, 2), 1);
        link.assertFinds(RING, "to guest: entry 0", "has no flags, channel, slot and payload");
        EntryLayout.putInline(link.bytes, entry, 0xff02, 0, 0, 0, 0);
        link.assertFinds(RING, "to guest: entry 0", "about no channel that can be");
        EntryLayout.putInline(link.bytes, entry, 0xff00, 0, 0, ChannelId.of(1, 3), 0);
        link.assertFinds(RING, "to guest: entry 0", "neither opens nor accepts");
        EntryLayout.putInline(link.bytes, entry, 0xff01, 0, 0, ChannelId.of(1, 2), 0);
        link.assertFinds(RING, "to guest: entry 0", "neither opens nor accepts");
        EntryLayout.putInline(link.bytes, entry, 0xff00, 0, 0, ChannelId.of(1, 2), 0);
        link.assertClean(Moment.QUIET);
    }

    @Test
    void aLineOfCreditThatNoReceiverWritesIsFound() {
        String place = "to guest: credit of index 2";
        link.bytes.putIntVolatile(credit.reset(2), ChannelId.of(1, 3));
        link.assertFinds(CREDIT, place, "reset is 3.1, a channel of another index");
        link.bytes.putIntVolatile(credit.reset(2), 0);
        link.bytes.putIntVolatile(credit.taken(2), ChannelId.of(1, 2));
        link.assertFinds(CREDIT, place, "less than a window was ever granted");
        link.bytes.putLongVolatile(credit.granted(2), 2_001);
        link.assertFinds(CREDIT, place, "more is granted than a window and all that can have come");
        link.bytes.putLongVolatile(credit.granted(2), 2_000);
        link.assertClean(Moment.QUIET);
        link.bytes.putIntVolatile(credit.reset(2), ChannelId.of(2, 2));
        link.assertFinds(CREDIT, place, "data is taken on 2.1, and 2.2 was reset");
        link.bytes.putIntVolatile(credit.reset(2), 0);
        link.bytes.putIntVolatile(credit.taken(2), 0);
        link.bytes.putLongVolatile(credit.granted(2), -1);
        link.assertFinds(CREDIT, place, "before the start");
    }

    @Test
    void dataThatNobodyTakesOrThatIsMoreThanAWindowIsFound() {
        for (int i = 0; i < 4; i++) {
            sendLong();
        }
        for (int i = 0; i < 4; i++) {
            EntryLayout.put(link.bytes, at.entry(i), 1, 0, ChannelId.of(1, 2), 1, 400, slotOf(i), 0);
        }
        link.assertFinds(CREDIT, "to guest: credit of index 2", "data of 2.1 is unread, and taken is 0.0");
        link.bytes.putLongVolatile(credit.granted(2), 2_000);
        link.bytes.putIntVolatile(credit.taken(2), ChannelId.of(1, 2));
        link.assertClean(Moment.QUIET);
        for (int i = 0; i < 4; i++) {
            EntryLayout.put(link.bytes, at.entry(i), 1, 0, ChannelId.of(1, 2), 1, 500, slotOf(i), 0);
        }
        link.assertFinds(CREDIT, "to guest: credit of index 2", "costs 2128, and the window is 2000");
    }

    @Test
    void aHeaderThatWasWrittenToIsFound() {
        link.bytes.putInt(64, 7);
        link.assertFinds(REGIONS, "header", "CHECKSUM");
    }

    @Test
    void aLinkWordOrALineOfASideWithoutMeaningIsFound() {
        long word = link.bytes.getLongVolatile(SegmentLayout.LINK_WORD);
        link.bytes.putLongVolatile(SegmentLayout.LINK_WORD, 99);
        link.assertFinds(REGIONS, "link word", "no meaning");
        link.bytes.putLongVolatile(SegmentLayout.LINK_WORD, LinkWord.with(word, LinkState.DEAD));
        link.assertClean(Moment.QUIET);
        link.bytes.putInt(SegmentLayout.GUEST_LINE, 4);
        link.assertFinds(REGIONS, "line of the guest", "its state is 4");
        link.bytes.putInt(SegmentLayout.GUEST_LINE, 3);
        link.bytes.putInt(SegmentLayout.HOST_LINE + 16, 1);
        link.assertFinds(REGIONS, "line of the host", "the bytes at 592 are 0");
        link.bytes.putInt(SegmentLayout.HOST_LINE + 16, 0);
        link.bytes.putInt(760, 1);
        link.assertFinds(REGIONS, "line before the regions", "the bytes at 760 are 0");
    }

    @Test
    void aSleepWordWithoutMeaningIsFound() {
        link.bytes.putIntVolatile(at.slotEvent() + 4, 4);
        link.assertFinds(SLEEPERS, "to guest: slots", "the sleep word 4 has no meaning");
    }

    @Test
    void aSleeperWhoseConditionHoldsIsFoundWhereAllIsQuiet() {
        link.bytes.putIntVolatile(at.dataEvent() + 4, LISTENING);
        link.assertClean(Moment.QUIET);
        sendShort();
        // The send has told it. It sleeps on, as if that were lost.
        link.bytes.putIntVolatile(at.dataEvent() + 4, LISTENING);
        link.assertFindsInQuiet(SLEEPERS, "to guest: data", "somebody waits (doorbell), and 1 entries are unread");
        link.bytes.putIntVolatile(at.dataEvent() + 4, 0);
        link.bytes.putIntVolatile(at.spaceEvent() + 4, 1);
        link.assertFindsInQuiet(SLEEPERS, "to guest: space", "somebody waits (futex), and the ring has room");
        link.bytes.putIntVolatile(at.spaceEvent() + 4, 0);
        link.bytes.putIntVolatile(at.slotEvent() + 4, 1);
        link.assertFindsInQuiet(SLEEPERS, "to guest: slots", "a slot of the largest class is free");
    }
}
