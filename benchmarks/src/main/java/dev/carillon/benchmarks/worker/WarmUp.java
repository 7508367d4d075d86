package dev.carillon.benchmarks.worker;

/**
 * Has a work's loop compiled as a whole method.
 *
 * <p>A loop that is called a few times and runs for long is compiled while it runs, from its middle, and such code can be
 * several times slower than what the same loop becomes in a program that calls it often.
 */
public final class WarmUp {
    /** HotSpot's second compiler takes a method with loops after some thousand calls. */
    private static final int ROUNDS = 6_000;

    private static final int OPS = 40;

    private WarmUp() {}

    /** Returns the work after many short rounds. */
    public static Work shortRounds(Work work) throws Exception {
        return rounds(work, ROUNDS, OPS);
    }

    /** Returns the work after some rounds, for a work whose rounds are costly to begin. */
    public static Work rounds(Work work, int rounds, long ops) throws Exception {
        Figures thrownAway = new Figures();
        for (int round = 0; round < rounds; round++) {
            thrownAway.clear();
            work.round(ops, thrownAway);
        }
        return work;
    }
}
