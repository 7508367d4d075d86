package dev.carillon.shm.audit;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What an audit has found.
 *
 * @param violations what no correct link has; none of it can be explained by movement or by a kill
 * @param remains what a call that is under way has, or one whose process was killed in it: a slot that is CLAIMED, or IN_FLIGHT without
 *     an entry, a sleep word whose sleeper may be awake or dead
 */
public record AuditReport(List<Finding> violations, List<Finding> remains) {
    /** Keeps what it is given. */
    public AuditReport {
        violations = List.copyOf(violations);
        remains = List.copyOf(remains);
    }

    /** Whether every invariant that could be seen holds. */
    public boolean isClean() {
        return violations.isEmpty();
    }

    @Override
    public String toString() {
        return isClean()
                ? "no violation"
                : violations.stream().map(Finding::toString).collect(Collectors.joining("; "));
    }
}
