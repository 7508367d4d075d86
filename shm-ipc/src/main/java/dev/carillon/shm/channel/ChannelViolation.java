package dev.carillon.shm.channel;

/**
 * The peer has sent on a channel, or said about one, what no correct peer does, or has granted what it cannot grant.
 *
 * <p>Bytes that were closed or truncated read as zeros, which looks the same: whoever catches this asks first whether the
 * region is still whole.
 */
public final class ChannelViolation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What the peer has done wrong. */
    public ChannelViolation(String why) {
        super("the peer is faulty: " + why);
    }

    static ChannelViolation of(String why, int id) {
        return new ChannelViolation(why + ": channel " + ChannelId.describe(id));
    }
}
