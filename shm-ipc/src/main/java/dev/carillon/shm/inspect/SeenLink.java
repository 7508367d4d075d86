package dev.carillon.shm.inspect;

import dev.carillon.shm.audit.AuditReport;
import dev.carillon.shm.audit.LinkLook;
import dev.carillon.shm.segment.LinkState;
import dev.carillon.shm.segment.LinkWord;
import dev.carillon.shm.segment.SegmentIdentity;

/**
 * What was read of a link.
 *
 * @param file where it is
 * @param look its memory
 * @param report what the auditor says of it
 * @param ageSeconds since the memory was made
 * @param toGuest entries per second to the guest; negative if that is not known yet
 * @param toHost the same to the host
 */
record SeenLink(LinkFile file, LinkLook look, AuditReport report, long ageSeconds, double toGuest, double toHost) {
    static final double UNKNOWN = -1;

    SegmentIdentity identity() {
        return look.header().identity();
    }

    /** The state in the link word. */
    String state() {
        return LinkWord.isValid(look.word()) ? LinkWord.state(look.word()).name() : "INVALID";
    }

    boolean isAttached() {
        return state().equals(LinkState.ATTACHED.name());
    }

    /** 0 if the word has no meaning. */
    int incarnation() {
        return LinkWord.isValid(look.word()) ? LinkWord.incarnation(look.word()) : 0;
    }

    /** 0 if none has attached. */
    int guestPid() {
        return LinkWord.isValid(look.word()) ? LinkWord.pid(look.word()) : 0;
    }

    ProcessState host() {
        return ProcessState.of(identity().hostPid(), identity().hostStartTime());
    }

    ProcessState guest() {
        return ProcessState.of(guestPid());
    }
}
