package dev.carillon.shm.segment;

import java.util.Locale;

/**
 * Whose memory it is.
 *
 * @param linkIdHigh the first half of the link's random id
 * @param linkIdLow the second half
 * @param hostPid the process that made it
 * @param hostStartTime when that process started, in clock ticks: field 22 of /proc/PID/stat
 * @param peerId which of the host's guests it is for, 1 to 255
 */
public record SegmentIdentity(long linkIdHigh, long linkIdLow, int hostPid, long hostStartTime, int peerId) {
    /** Refuses what identifies nobody, with an IllegalArgumentException. */
    public SegmentIdentity {
        if (linkIdHigh == 0 && linkIdLow == 0) {
            throw new IllegalArgumentException("link id=0: an id is random; take 128 bits of a SecureRandom");
        }
        Limits.range("host pid", hostPid, 1, Integer.MAX_VALUE, "a pid is positive");
        Limits.range("host start time", hostStartTime, 0, Long.MAX_VALUE, "ticks since the machine has started");
        Limits.range("peer id", peerId, 1, Limits.MAX_PEER_ID, "a host numbers its guests from 1");
    }

    /** The id of the link as 32 digits. */
    public String linkId() {
        return String.format(Locale.ROOT, "%016x%016x", linkIdHigh, linkIdLow);
    }
}
