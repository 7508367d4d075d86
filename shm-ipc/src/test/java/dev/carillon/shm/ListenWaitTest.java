package dev.carillon.shm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.shm.ListenWaitPeer.Plan;
import dev.carillon.shm.ListenWaitPeer.Setup;
import dev.carillon.test.Interleavings;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** All orders in which a loop and a thread of one side wait, while the peer sends, dies, and the watch is lost; shipped and wrong. */
final class ListenWaitTest {
    private static final int FRAMES = Boolean.getBoolean("carillon.stress") ? 2 : 1;

    static Stream<Setup> setups() {
        return Stream.of(
                new Setup(3, true, false, false, false, false),
                new Setup(FRAMES, true, true, false, false, false),
                new Setup(2, true, false, true, false, false),
                new Setup(2, true, false, true, true, true),
                new Setup(FRAMES, true, true, true, false, false),
                new Setup(FRAMES, true, true, true, true, false),
                new Setup(FRAMES, false, true, true, true, true));
    }

    // r[verify shm.wait.all-transitions] r[verify shm.wait.sleep-word] r[verify shm.loop]
    @ParameterizedTest
    @MethodSource("setups")
    void inNoOrderDoesAWaitMissAFrameRoomOrTheEndOfThePeer(Setup setup) {
        int states = Interleavings.explore(() -> new ListenWaitWorld(Plan.SHIPPED, setup));
        System.out.println("listening waits, " + setup + ": " + states + " states");
        assertTrue(states > 100, "states=" + states);
    }

    @ParameterizedTest
    @EnumSource(value = Plan.class, mode = EnumSource.Mode.EXCLUDE, names = "SHIPPED")
    void whatIsWrongOnPurposeIsFound(Plan plan) {
        boolean thread = switch (plan) {
            case LOOKER_KEEPS_THE_RING,
                    LOOKER_TELLS_THE_LOOP_NOTHING_OF_THE_PEER,
                    LOST_WATCH_LEAVES_SLEEPERS,
                    DEATH_SIGNALS_ONLY -> true;
            default -> false;
        };
        boolean kills = switch (plan) {
            case NO_SECOND_LOOK, PLACE_AFTER_THE_LOOKS, RING_BEFORE_PUBLISHING, LOOKER_KEEPS_THE_RING -> false;
            default -> true;
        };
        boolean heir = switch (plan) {
            case LOOKER_TELLS_THE_LOOP_NOTHING_OF_THE_PEER, LOST_WATCH_TELLS_NO_LISTENER, LOST_WATCH_LEAVES_SLEEPERS ->
                true;
            default -> false;
        };
        boolean fails = plan == Plan.LOST_WATCH_TELLS_NO_LISTENER || plan == Plan.LOST_WATCH_LEAVES_SLEEPERS;
        boolean stage = plan != Plan.LOST_WATCH_LEAVES_SLEEPERS;
        Setup setup = new Setup(1, stage, thread, kills, heir, fails);
        Optional<String> found = Interleavings.failureOf(() -> new ListenWaitWorld(plan, setup));
        assertTrue(found.isPresent(), () -> plan + ": the search finds nothing");
        assertTrue(found.orElseThrow().contains("somebody sleeps"), found::toString);
    }
}
