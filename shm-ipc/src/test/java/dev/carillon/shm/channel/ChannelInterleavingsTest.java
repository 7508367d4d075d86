package dev.carillon.shm.channel;

import static dev.carillon.shm.channel.ChannelWorld.Op.ACCEPT;
import static dev.carillon.shm.channel.ChannelWorld.Op.CLOSE;
import static dev.carillon.shm.channel.ChannelWorld.Op.OPEN;
import static dev.carillon.shm.channel.ChannelWorld.Op.RESET;
import static dev.carillon.shm.channel.ChannelWorld.Op.SEND;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.memory.MemoryRegion;
import dev.carillon.shm.channel.ChannelWorld.Plan;
import dev.carillon.shm.channel.ChannelWorld.Program;
import dev.carillon.test.Interleavings;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** All orders of the steps of two sides that share channels, as shipped and wrong on purpose. */
final class ChannelInterleavingsTest {
    private static final long[] STARTS = {0, (1L << 32) - 3, Long.MAX_VALUE - 2, -2};

    private final MemoryRegion region = MemoryRegion.anonymous(ChannelWorld.SIZE);

    @AfterEach
    void closeRegion() {
        region.close();
    }

    private int explore(Program host, Program guest) {
        int states = 0;
        for (long start : STARTS) {
            states += Interleavings.explore(() -> new ChannelWorld(region.bytes(), Plan.SHIPPED, start, host, guest));
        }
        return states;
    }

    private void assertFound(Plan plan, Program host, Program guest, String what) {
        Optional<String> found = Interleavings.failureOf(() -> new ChannelWorld(region.bytes(), plan, 0, host, guest));
        assertTrue(found.isPresent(), () -> plan + ": the search finds nothing");
        assertTrue(found.orElseThrow().contains(what), found::toString);
    }

    // r[verify shm.channel] r[verify shm.credit]
    @Test
    void inNoOrderDoTwoSidesDisagreeOnAChannel() {
        int states = 0;
        List<Program> guests = List.of(
                Program.of(ACCEPT, SEND, CLOSE),
                Program.of(ACCEPT, RESET),
                Program.of(ACCEPT, CLOSE, RESET),
                Program.of(ACCEPT, SEND).endedBy(RESET),
                Program.of(ACCEPT, SEND).endedBy(CLOSE));
        List<Program> hosts = List.of(
                Program.of(OPEN, SEND, SEND, CLOSE),
                Program.of(OPEN, CLOSE, RESET),
                Program.of(OPEN, SEND, RESET),
                Program.of(OPEN, SEND, CLOSE).endedBy(RESET));
        for (Program host : hosts) {
            for (Program guest : guests) {
                // One that is never accepted ends all the same, by the RESET of its host.
                if (!(host.resets() && guest.end() != null)) {
                    states += explore(host, guest);
                }
            }
        }
        System.out.println("channels: " + states + " states");
        assertTrue(states > 10_000, "states=" + states);
    }

    // r[verify shm.channel]
    @Test
    void anIndexIsUsedAgainWhenBothSidesAreDoneWithIt() {
        int states =
                explore(Program.of(OPEN, SEND, CLOSE, OPEN, SEND, CLOSE), Program.of(ACCEPT, CLOSE, ACCEPT, CLOSE));
        states += explore(Program.of(OPEN, CLOSE, OPEN, SEND, CLOSE), Program.of(ACCEPT, CLOSE, RESET, ACCEPT, CLOSE));
        System.out.println("channels again: " + states + " states");
        assertTrue(states > 1_000, "states=" + states);
    }

    @Test
    void anEndThatIsNotedAfterItsFrameIsTooLateForTheNextOpen() {
        assertFound(
                Plan.END_AFTER_PUBLISHING,
                Program.of(OPEN, CLOSE, OPEN, CLOSE),
                Program.of(ACCEPT, CLOSE, ACCEPT, CLOSE),
                "OPEN of a channel that is open");
    }

    @Test
    void aResetWithoutAnAnswerKeepsItsChannelForEver() {
        assertFound(Plan.NO_ANSWER_TO_RESET, Program.of(OPEN, SEND, RESET), Program.of(ACCEPT, SEND), "no common end");
    }

    @Test
    void closingBesideASenderLetsDataComeAfterTheEnd() {
        assertFound(
                Plan.NO_SENDING_TURN,
                Program.of(OPEN, SEND).endedBy(CLOSE),
                Program.of(ACCEPT, CLOSE),
                "data on a channel that the peer does not send on");
    }

    @Test
    void namingTheChannelBeforeItsCreditLetsTheSenderUseWhatIsLeftOfAnother() {
        assertFound(
                Plan.TAKEN_BEFORE_GRANTED,
                Program.of(OPEN, CLOSE, OPEN, SEND, CLOSE),
                Program.of(ACCEPT, CLOSE, ACCEPT, CLOSE),
                "data on a channel that the peer does not send on");
    }

    @Test
    void creditThatIsGivenTwiceIsSeenByTheSender() {
        assertFound(
                Plan.GRANTED_TWICE, Program.of(OPEN, SEND, SEND, SEND, CLOSE), Program.of(ACCEPT, CLOSE), "granted");
    }
}
