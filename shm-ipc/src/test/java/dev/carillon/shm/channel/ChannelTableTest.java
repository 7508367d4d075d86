package dev.carillon.shm.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.MemoryRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two tables that talk with each other, and one that hears what no correct peer says. */
final class ChannelTableTest {
    private static final int CHANNELS = 8;
    private static final long WINDOW = 1000;
    private static final CreditPlace TO_GUEST = new CreditPlace(0, CHANNELS, WINDOW);
    private static final CreditPlace TO_HOST = new CreditPlace(512, CHANNELS, WINDOW);

    private final MemoryRegion region = MemoryRegion.anonymous(1024);
    private ChannelTable host = table(true, 0);
    private ChannelTable guest = table(false, 0);

    @AfterEach
    void closeRegion() {
        region.close();
    }

    private ChannelTable table(boolean isHost, long start) {
        CreditPlace sending = isHost ? TO_GUEST : TO_HOST;
        CreditPlace receiving = isHost ? TO_HOST : TO_GUEST;
        return new ChannelTable(isHost, region.bytes(), sending, receiving, start, start);
    }

    /** Moves all control frames. */
    private void exchange() {
        boolean moved = true;
        while (moved) {
            boolean there = move(host, guest);
            moved = move(guest, host) || there;
        }
    }

    private static boolean move(ChannelTable from, ChannelTable to) {
        ControlFrame frame = from.takeControl();
        if (frame == null) {
            return false;
        }
        say(to, frame.type(), frame.id());
        return true;
    }

    private static void say(ChannelTable to, ControlType type, int id) {
        to.control(type.code(), Integer.toUnsignedLong(id));
    }

    private static ChannelEnd opened(ChannelTable by) {
        ChannelEnd end = Objects.requireNonNull(by.open(), "no index is free");
        by.begin(end);
        return end;
    }

    private static ChannelEnd accepted(ChannelTable by) {
        ChannelEnd end = Objects.requireNonNull(by.accept(), "nothing to accept");
        by.begin(end);
        return end;
    }

    private static void assertRefused(String why, Runnable hostile) {
        ChannelViolation refused = assertThrows(ChannelViolation.class, hostile::run);
        assertTrue(refused.toString().contains("the peer is faulty"), refused::toString);
        assertTrue(refused.toString().contains(why), refused::toString);
    }

    // r[verify shm.channel]
    @Test
    void aChannelGoesFromOpeningToOpenToHalfClosedToFree() {
        ChannelEnd ours = opened(host);
        assertEquals(ChannelEnd.Phase.OPENING, ours.phase());
        exchange();
        ChannelEnd theirs = accepted(guest);
        assertEquals(ChannelEnd.Phase.OPEN, theirs.phase());
        exchange();
        assertEquals(ChannelEnd.Phase.OPEN, ours.phase());
        assertTrue(host.close(ours));
        assertFalse(host.close(ours));
        exchange();
        assertEquals(ChannelEnd.Phase.HALF_CLOSED, ours.phase());
        assertEquals(ChannelEnd.Phase.HALF_CLOSED, theirs.phase());
        guest.close(theirs);
        exchange();
        assertEquals(ChannelEnd.Phase.FREE, ours.phase());
        assertEquals(ChannelEnd.Phase.FREE, theirs.phase());
        assertFalse(ours.isReset());
    }

    // r[verify shm.channel]
    @Test
    void theHostHasEvenIndicesAndTheGuestOddOnesAndEachIsUsedAgainInTheNextGeneration() {
        List<Integer> ids = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ids.add(opened(host).id());
        }
        assertEquals(List.of(ChannelId.of(1, 2), ChannelId.of(1, 4), ChannelId.of(1, 6)), ids);
        assertNull(host.open(), "8 lines of credit are for 3 channels of the host");
        for (int i = 0; i < 4; i++) {
            assertEquals(ChannelId.of(1, 2 * i + 1), opened(guest).id());
        }
        assertNull(guest.open());
        exchange();
        ChannelEnd first = accepted(guest);
        guest.reset(first);
        exchange();
        assertEquals(ChannelId.of(2, 2), opened(host).id());
    }

    @Test
    void aGenerationAfterTheLastOneIsZero() {
        assertEquals(ChannelId.of(0, 6), ChannelId.next(ChannelId.of(0xFFFF, 6)));
        assertEquals(0xFFFF, ChannelId.generation(ChannelId.of(0xFFFF, 6)));
    }

    // r[verify shm.credit]
    @Test
    void creditIsSpentAndGrantedWhereverTheTotalsAre() {
        for (long start : new long[] {0, (1L << 32) - 1500, Long.MAX_VALUE - 1500, -1500}) {
            spendAndGrantFrom(start);
        }
    }

    private void spendAndGrantFrom(long start) {
        TO_GUEST.begin(region.bytes(), start);
        TO_HOST.begin(region.bytes(), start);
        region.bytes().putInt(TO_GUEST.taken(2), 0);
        host = table(true, start);
        guest = table(false, start);
        ChannelEnd ours = opened(host);
        assertFalse(ours.sending().covers(1), "nobody has accepted");
        exchange();
        ChannelEnd theirs = accepted(guest);
        assertTrue(ours.sending().covers(WINDOW), "credit is seen before the ACCEPT is read");
        exchange();
        for (int round = 0; round < 8; round++) {
            assertEquals(WINDOW, ours.sending().available());
            ours.sending().spend(499);
            guest.data(ours.id(), 499);
            theirs.receiving().consumed(499);
            assertFalse(theirs.receiving().grantHalf(), "less than half");
            ours.sending().spend(501);
            guest.data(ours.id(), 501);
            assertFalse(theirs.receiving().grantAll(), "one part was not consumed");
            assertEquals(0, ours.sending().available());
            theirs.receiving().consumed(401);
            assertTrue(theirs.receiving().grantHalf());
            assertEquals(900, ours.sending().available());
            theirs.receiving().consumed(100);
            assertTrue(theirs.receiving().grantAll());
        }
    }

    /** The peer writes that line: a look at it costs as much as the message. */
    // r[verify shm.credit]
    @Test
    void creditThatIsKnownToBeEnoughIsNotLookedUpAgain() {
        ChannelEnd ours = opened(host);
        exchange();
        accepted(guest);
        assertEquals(WINDOW, ours.sending().available());
        region.bytes().putLong(TO_GUEST.granted(2), Long.MIN_VALUE);
        assertTrue(ours.sending().covers(WINDOW));
        ours.sending().spend(WINDOW - 1);
        assertTrue(ours.sending().covers(1));
        assertRefused("granted=", () -> ours.sending().covers(2));
    }

    @Test
    void onlyWhatWasTakenCanBeGrantedByHand() {
        ChannelEnd ours = opened(host);
        exchange();
        ChannelEnd theirs = accepted(guest);
        exchange();
        ours.sending().covers(100);
        ours.sending().spend(100);
        guest.data(ours.id(), 100);
        assertThrows(IllegalArgumentException.class, () -> theirs.receiving().grant(1));
        theirs.receiving().consumed(100);
        assertTrue(theirs.receiving().grant(60));
        assertEquals(960, ours.sending().available());
        assertThrows(IllegalArgumentException.class, () -> theirs.receiving().grant(41));
        assertThrows(IllegalArgumentException.class, () -> theirs.receiving().grant(-1));
    }

    // r[verify shm.credit]
    @Test
    void moreDataThanWasGrantedIsAFault() {
        ChannelEnd ours = opened(host);
        exchange();
        accepted(guest);
        guest.data(ours.id(), WINDOW - 1);
        assertRefused("more than was granted", () -> guest.data(ours.id(), 2));
    }

    // r[verify shm.credit]
    @Test
    void grantsThatNoCorrectPeerMakesAreAFault() {
        ChannelEnd ours = opened(host);
        exchange();
        accepted(guest);
        assertTrue(ours.sending().covers(500));
        ours.sending().spend(500);
        for (long hostile : new long[] {999, 0, -1, 1501, Long.MIN_VALUE, Long.MAX_VALUE}) {
            region.bytes().putLong(TO_GUEST.granted(2), hostile);
            assertRefused("granted=" + hostile, () -> ours.sending().available());
        }
        region.bytes().putLong(TO_GUEST.granted(2), 1500);
        assertEquals(1000, ours.sending().available());
    }

    // r[verify shm.channel]
    @Test
    void controlFramesThatNoCorrectPeerSendsAreAFault() {
        ChannelEnd ours = opened(host);
        exchange();
        ChannelEnd theirs = accepted(guest);
        exchange();
        assertRefused("no control frame", () -> guest.control(0xFF04, ours.id()));
        assertRefused("cannot be", () -> guest.control(ControlType.OPEN.code(), 1L << 32 | ours.id()));
        assertRefused("cannot be", () -> say(guest, ControlType.OPEN, ChannelId.of(1, 0)));
        assertRefused("cannot be", () -> say(guest, ControlType.OPEN, ChannelId.of(1, CHANNELS)));
        assertRefused("this side's to open", () -> say(guest, ControlType.OPEN, ChannelId.of(1, 3)));
        assertRefused("this side's to open", () -> say(host, ControlType.OPEN, ChannelId.of(1, 4)));
        assertRefused("that is open", () -> say(guest, ControlType.OPEN, ChannelId.of(2, 2)));
        assertRefused("does not follow", () -> say(guest, ControlType.OPEN, ChannelId.of(2, 4)));
        assertRefused("not asked for", () -> say(guest, ControlType.ACCEPT, theirs.id()));
        assertRefused("not asked for", () -> say(host, ControlType.ACCEPT, ours.id()));
        for (ControlType type : List.of(ControlType.ACCEPT, ControlType.CLOSE, ControlType.RESET)) {
            assertRefused("not there", () -> say(guest, type, ChannelId.of(1, 6)));
            assertRefused("not there", () -> say(guest, type, ChannelId.of(0, 2)));
        }
        say(guest, ControlType.CLOSE, theirs.id());
        assertRefused("does not send", () -> say(guest, ControlType.CLOSE, theirs.id()));
        say(guest, ControlType.RESET, theirs.id());
        assertRefused("second RESET", () -> say(guest, ControlType.RESET, theirs.id()));
        assertEquals(ChannelEnd.Phase.OPEN, ours.phase(), "what was refused has changed nothing");
    }

    // r[verify shm.channel]
    @Test
    void dataOnAChannelWithoutASenderIsAFault() {
        assertRefused("data on a channel", () -> guest.data(ChannelId.of(1, 2), 32));
        assertRefused("data on a channel", () -> guest.data(ChannelId.of(1, 0), 32));
        assertRefused("data on a channel", () -> guest.data(-1, 32));
        ChannelEnd ours = opened(host);
        exchange();
        assertRefused("data on a channel", () -> guest.data(ours.id(), 32));
        assertRefused("data on a channel", () -> host.data(ours.id(), 32));
        accepted(guest);
        guest.data(ours.id(), 32);
        assertRefused("data on a channel", () -> guest.data(ChannelId.next(ours.id()), 32));
        host.close(ours);
        exchange();
        assertRefused("data on a channel", () -> guest.data(ours.id(), 32));
    }

    @Test
    void aResetThatCrossesTheLastFramesMeansNothing() {
        ChannelEnd ours = opened(host);
        exchange();
        ChannelEnd theirs = accepted(guest);
        exchange();
        guest.close(theirs);
        ControlFrame close = Objects.requireNonNull(guest.takeControl());
        guest.reset(theirs);
        ControlFrame reset = Objects.requireNonNull(guest.takeControl());
        host.close(ours);
        host.takeControl();
        say(host, close.type(), close.id());
        assertTrue(ours.isFree());
        say(guest, ControlType.CLOSE, ours.id());
        assertTrue(theirs.isFree());
        for (int i = 0; i < 3; i++) {
            host.reset(opened(host));
        }
        say(host, reset.type(), reset.id());
        assertFalse(ours.isReset(), "all that was sent on it has come");
    }

    // r[verify shm.channel]
    @Test
    void aPeerThatOpensAndResetsForEverFillsNothing() {
        int id = ChannelId.of(1, 2);
        for (int i = 0; i < 200_000; i++) {
            say(guest, ControlType.OPEN, id);
            say(guest, ControlType.RESET, id);
            assertEquals(new ControlFrame(ControlType.RESET, id), guest.takeControl());
            id = ChannelId.next(id);
        }
        assertFalse(guest.hasAsked());
        assertNull(guest.accept());
        assertFalse(guest.hasControl());
    }
}
