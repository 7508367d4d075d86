package dev.carillon.test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Runs the steps of a few actors in every order there is, to find the one in which they miss each other.
 *
 * <p>A step is one access to what the actors share, or one system call. A world is made anew for every order and led
 * through it from the beginning, so nothing has to be undone; states that were seen before are not gone through again.
 * That is a search under sequential consistency: what the processor may reorder on top of it is for fences to forbid,
 * and for another kind of test to find.
 *
 * <p><b>Threading</b> The caller's thread; the actors are no threads.
 */
public final class Interleavings {
    private static final int MAX_STATES = 5_000_000;

    private Interleavings() {}

    /** Actors with what they share, at some point of their work. */
    public interface World {
        /** How many actors there are; they are numbered from 0. */
        int actors();

        /** Whether an actor can make a step: it has not ended and does not sleep. */
        boolean canStep(int actor);

        /** Makes one step of an actor. */
        void step(int actor);

        /** Everything that the future depends on: worlds of the same state have the same future. */
        String state();

        /** Called where no actor can step any more: throws AssertionError if that is no good end. */
        void verifyEnd();
    }

    /**
     * Goes through all orders.
     *
     * @return how many states there are
     * @throws AssertionError of the first bad end that is found, with the order of steps that leads to it
     */
    public static int explore(Supplier<? extends World> start) {
        List<List<Integer>> unfinished = new ArrayList<>(List.of(List.of()));
        Set<String> seen = new HashSet<>();
        while (!unfinished.isEmpty()) {
            List<Integer> order = unfinished.remove(unfinished.size() - 1);
            World world = start.get();
            order.forEach(world::step);
            if (!seen.add(world.state())) {
                continue;
            }
            if (seen.size() > MAX_STATES) {
                throw new AssertionError("more than " + MAX_STATES + " states; let the actors do less");
            }
            continueFrom(world, order, unfinished);
        }
        return seen.size();
    }

    private static void continueFrom(World world, List<Integer> order, List<List<Integer>> unfinished) {
        boolean ended = true;
        for (int actor = 0; actor < world.actors(); actor++) {
            if (world.canStep(actor)) {
                ended = false;
                List<Integer> longer = new ArrayList<>(order);
                longer.add(actor);
                unfinished.add(longer);
            }
        }
        if (ended) {
            try {
                world.verifyEnd();
            } catch (AssertionError bad) {
                throw new AssertionError(bad.getMessage() + "; the actors stepped in this order: " + order, bad);
            }
        }
    }

    /** Goes through all orders of a world that is wrong on purpose; what was found, or empty if nothing was. */
    public static Optional<String> failureOf(Supplier<? extends World> start) {
        try {
            explore(start);
            return Optional.empty();
        } catch (AssertionError found) {
            return Optional.of(String.valueOf(found.getMessage()));
        }
    }
}
