package dev.carillon.shm.channel;

import dev.carillon.shm.fault.PeerViolation;

/**
 * The peer has sent on a channel, or said about one, what no correct peer does, or has granted what it cannot grant.
 */
public final class ChannelViolation extends PeerViolation {
    private static final long serialVersionUID = 1L;

    /** What the peer has done wrong. */
    public ChannelViolation(String why) {
        super("CHANNEL", "the peer is faulty: " + why);
    }

    static ChannelViolation of(String why, int id) {
        return new ChannelViolation(why + ": channel " + ChannelId.describe(id));
    }
}
