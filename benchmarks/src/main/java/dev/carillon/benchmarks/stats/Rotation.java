package dev.carillon.benchmarks.stats;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The order of the variants in a round: each round starts with the next one, so that none always goes first. */
public final class Rotation {
    private Rotation() {}

    /** Returns the elements in the order of a round, counted from 0. */
    public static <T> List<T> order(List<T> elements, int round) {
        List<T> order = new ArrayList<>(elements);
        Collections.rotate(order, -round);
        return order;
    }
}
