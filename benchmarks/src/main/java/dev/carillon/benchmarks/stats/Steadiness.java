package dev.carillon.benchmarks.stats;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Decides which rounds count: those before and after which the host was in its usual state.
 *
 * <p>The usual state is the median of all probes, so a host that is slow throughout loses no round.
 */
public final class Steadiness {
    /** A loop that takes this much longer or shorter ran on a core that somebody else had, or at another clock. */
    static final double LOOP_FAR_OFF = 1.2;

    /** Coherence traffic varies more than arithmetic: only a clear difference counts. */
    static final double SPIN_FAR_OFF = 1.4;

    /** With fewer rounds than this a median says nothing. */
    static final int FEWEST_ROUNDS = 3;

    private Steadiness() {}

    /**
     * Returns for each round whether it counts.
     *
     * @param states one more than there are rounds: the state before each round, and the one after the last
     */
    public static boolean[] roundsThatCount(List<HostState> states) {
        if (states.size() < 2) {
            return new boolean[0];
        }
        boolean[] usual = new boolean[states.size()];
        double spin = medianOf(states, HostState::spinNanos);
        double loop = medianOf(states, HostState::loopNanos);
        for (int i = 0; i < usual.length; i++) {
            HostState state = states.get(i);
            usual[i] = near(state.spinNanos(), spin, SPIN_FAR_OFF) && near(state.loopNanos(), loop, LOOP_FAR_OFF);
        }
        boolean[] counts = new boolean[states.size() - 1];
        int kept = 0;
        for (int round = 0; round < counts.length; round++) {
            counts[round] = usual[round] && usual[round + 1];
            kept += counts[round] ? 1 : 0;
        }
        if (kept < FEWEST_ROUNDS) {
            Arrays.fill(counts, true);
        }
        return counts;
    }

    private static double medianOf(List<HostState> states, ToDoubleFunction<HostState> figure) {
        return Quantiles.median(states.stream().mapToDouble(figure).toArray());
    }

    private static boolean near(double figure, double usual, double factor) {
        return Double.isNaN(figure) || (figure <= usual * factor && figure >= usual / factor);
    }
}
