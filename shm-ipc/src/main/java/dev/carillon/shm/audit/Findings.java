package dev.carillon.shm.audit;

import java.util.ArrayList;
import java.util.List;

/** What an audit has found so far. */
final class Findings {
    private final boolean quiet;
    private final List<Finding> violations = new ArrayList<>();
    private final List<Finding> remains = new ArrayList<>();

    Findings(Moment moment) {
        quiet = moment == Moment.QUIET;
    }

    void violation(Rule rule, String place, String what) {
        violations.add(new Finding(rule, place, what));
    }

    /** What a call under way may have, and nobody else. */
    void underWay(Rule rule, String place, String what) {
        (quiet ? violations : remains).add(new Finding(rule, place, what));
    }

    /** What a program may have as long as it wants. */
    void remains(Rule rule, String place, String what) {
        remains.add(new Finding(rule, place, what));
    }

    /** The value, if it holds; if not, a violation. */
    boolean require(boolean holds, Rule rule, String place, String what) {
        if (!holds) {
            violation(rule, place, what);
        }
        return holds;
    }

    AuditReport report() {
        return new AuditReport(violations, remains);
    }
}
