package dev.carillon.benchmarks.stats;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class SteadinessTest {
    private static final HostState USUAL = new HostState(100, 1000);

    @Test
    void onAQuietHostAllRoundsCount() {
        assertArrayEquals(new boolean[] {true, true, true, true}, Steadiness.roundsThatCount(states(5)));
    }

    @Test
    void aSlowLoopSpoilsTheRoundsOnBothSidesOfIt() {
        List<HostState> states = states(7);
        states.set(3, new HostState(100, 1300));
        assertArrayEquals(new boolean[] {true, true, false, false, true, true}, Steadiness.roundsThatCount(states));
    }

    @Test
    void aCacheLineThatIsSuddenlyFastSpoilsThemToo() {
        List<HostState> states = states(6);
        states.set(0, new HostState(30, 1000));
        assertArrayEquals(new boolean[] {false, true, true, true, true}, Steadiness.roundsThatCount(states));
    }

    @Test
    void aHostThatIsSlowThroughoutLosesNoRound() {
        List<HostState> states = new ArrayList<>(Collections.nCopies(5, new HostState(500, 9000)));
        assertArrayEquals(new boolean[] {true, true, true, true}, Steadiness.roundsThatCount(states));
    }

    @Test
    void smallDifferencesAreNoise() {
        List<HostState> states = states(4);
        states.set(1, new HostState(130, 1100));
        assertArrayEquals(new boolean[] {true, true, true}, Steadiness.roundsThatCount(states));
    }

    @Test
    void onOneCoreOnlyTheLoopDecides() {
        List<HostState> states = new ArrayList<>(Collections.nCopies(6, new HostState(Double.NaN, 1000)));
        states.set(5, new HostState(Double.NaN, 5000));
        assertArrayEquals(new boolean[] {true, true, true, true, false}, Steadiness.roundsThatCount(states));
    }

    @Test
    void aProbeThatFailedIsFarOff() {
        List<HostState> states = states(6);
        states.set(5, new HostState(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY));
        assertArrayEquals(new boolean[] {true, true, true, true, false}, Steadiness.roundsThatCount(states));
    }

    @Test
    void ifTooFewWouldBeLeftAllCount() {
        List<HostState> states = states(4);
        states.set(1, new HostState(1000, 1000));
        assertArrayEquals(new boolean[] {true, true, true}, Steadiness.roundsThatCount(states));
    }

    private static List<HostState> states(int count) {
        return new ArrayList<>(Collections.nCopies(count, USUAL));
    }
}
