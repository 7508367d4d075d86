package dev.carillon.process;

import dev.carillon.process.ChildWatch.Leads;
import org.jspecify.annotations.Nullable;

/** A child is in one group, so a builder takes one choice: the last of two would take back the other without a word. */
final class GroupChoice {
    private GroupChoice() {}

    /**
     * Refuses a choice behind another one.
     *
     * @param joinedBefore the leader of the group to be joined, and {@code joined} likewise
     */
    // r[impl process.group]
    static void ensureNoOther(
            Spawn.Builder child,
            Leads before,
            @Nullable ChildWatch joinedBefore,
            Leads now,
            @Nullable ChildWatch joined) {
        boolean isFirst = before == Leads.NOTHING && joinedBefore == null;
        if (!isFirst && (before != now || joinedBefore != joined)) {
            throw new IllegalStateException(child + " is to " + told(before, joinedBefore) + " already, and cannot "
                    + told(now, joined) + "; a session is a group of its own, too");
        }
    }

    private static String told(Leads what, @Nullable ChildWatch joined) {
        return switch (what) {
            case GROUP -> "lead a group (ownGroup)";
            case SESSION -> "lead a session (ownSession)";
            case NOTHING -> "join the group of child " + (joined == null ? "none" : joined.pid()) + " (inGroupOf)";
        };
    }
}
