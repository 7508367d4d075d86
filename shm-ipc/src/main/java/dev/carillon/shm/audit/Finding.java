package dev.carillon.shm.audit;

/**
 * Something that an audit has found.
 *
 * @param rule the invariant that it is about
 * @param place where: a region, and what of it
 * @param what a sentence without full stop
 */
public record Finding(Rule rule, String place, String what) {
    @Override
    public String toString() {
        return rule.number() + " " + rule + ", " + place + ": " + what;
    }
}
