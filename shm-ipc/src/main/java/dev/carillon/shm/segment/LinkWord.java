package dev.carillon.shm.segment;

import java.util.Locale;

/**
 * The u64 that host and guest change by CAS, and what its bits mean.
 *
 * <pre>
 *  0..7   state: 1 RESERVED, 2 ATTACHED, 3 GOODBYE_HOST, 4 GOODBYE_GUEST, 5 DEAD
 *  8..31  incarnation: 1 to 16,777,215, then 1 again
 * 32..63  pid of the guest: 1 to 2^31 - 1; 0 as long as there is none
 * </pre>
 *
 * <p>Anything else is corruption. The peer can write here what it wants, so each function refuses what has no meaning.
 */
// r[impl shm.link-word]
public final class LinkWord {
    /** The largest incarnation. */
    public static final int MAX_INCARNATION = (1 << 24) - 1;

    private static final int STATE_BITS = 8;
    private static final int PID_SHIFT = 32;
    private static final long STATE_MASK = (1L << STATE_BITS) - 1;

    private LinkWord() {}

    /**
     * Puts a word together.
     *
     * @param guestPid 0 if no guest has attached
     * @throws IllegalArgumentException if no word says that
     */
    public static long of(LinkState state, int guestPid, int incarnation) {
        Limits.range("incarnation", incarnation, 1, MAX_INCARNATION, "the first one of a peer is 1");
        if (!fits(state, guestPid)) {
            throw new IllegalArgumentException("guest pid=" + guestPid + ": " + pidIn(state));
        }
        return (long) guestPid << PID_SHIFT | (long) incarnation << STATE_BITS | state.code();
    }

    /** The word of a link that waits for its guest. */
    public static long reserved(int incarnation) {
        return of(LinkState.RESERVED, 0, incarnation);
    }

    /**
     * What a word becomes when a guest attaches.
     *
     * @throws IllegalStateException if the link is not reserved
     * @throws FaultySegmentException if the word has no meaning
     */
    public static long attached(long reserved, int guestPid) {
        requireStep(reserved, LinkState.ATTACHED);
        return of(LinkState.ATTACHED, guestPid, incarnation(reserved));
    }

    /**
     * What a word becomes when its state goes on; guest and incarnation stay.
     *
     * @throws IllegalStateException if the state of the link is already there or beyond
     * @throws FaultySegmentException if the word has no meaning
     */
    public static long with(long word, LinkState next) {
        requireStep(word, next);
        return of(next, pid(word), incarnation(word));
    }

    /** The incarnation after one: an id of a peer that is used again gets it, with a new segment. */
    public static int nextIncarnation(int incarnation) {
        Limits.range("incarnation", incarnation, 0, MAX_INCARNATION, "0 stands for none before");
        return incarnation == MAX_INCARNATION ? 1 : incarnation + 1;
    }

    /** Whether the word has a meaning. */
    public static boolean isValid(long word) {
        int code = code(word);
        return LinkState.isCode(code) && rawIncarnation(word) != 0 && fits(LinkState.ofCode(code), rawPid(word));
    }

    /** The state; refuses, as the next ones, a word without meaning with a FaultySegmentException. */
    public static LinkState state(long word) {
        return LinkState.ofCode(code(check(word)));
    }

    /** The pid of the guest, 0 if none has attached. */
    public static int pid(long word) {
        return rawPid(check(word));
    }

    /** The incarnation. */
    public static int incarnation(long word) {
        return rawIncarnation(check(word));
    }

    /**
     * The word itself, if it has a meaning.
     *
     * @throws FaultySegmentException if not
     */
    public static long check(long word) {
        if (!isValid(word)) {
            throw new FaultySegmentException(
                    SegmentFault.LINK_WORD, "the link word is " + describe(word) + ", which has no meaning");
        }
        return word;
    }

    /**
     * The word that is there now, if it can have come from the one that was there before: the incarnation is the same,
     * the state has not gone back, and the guest is the same unless it has just attached.
     *
     * @throws FaultySegmentException if not
     */
    public static long checkStep(long before, long now) {
        LinkState from = state(before);
        LinkState to = state(now);
        boolean samePid = pid(before) == pid(now);
        boolean attached = from == LinkState.RESERVED && pid(now) != 0;
        boolean goesOn = from.mayBecome(to) || (attached && to == LinkState.GOODBYE_GUEST);
        boolean same = before == now;
        if (!same && (incarnation(before) != incarnation(now) || !goesOn || !(samePid || attached))) {
            throw new FaultySegmentException(
                    SegmentFault.LINK_WORD,
                    "the link word went from " + describe(before) + " to " + describe(now) + ", which is no step");
        }
        return now;
    }

    /** Says what is in any word, also in one without meaning. */
    public static String describe(long word) {
        int code = code(word);
        return String.format(
                Locale.ROOT,
                "%016x (state %s, pid %d, incarnation %d)",
                word,
                LinkState.isCode(code) ? LinkState.ofCode(code) : code,
                rawPid(word),
                rawIncarnation(word));
    }

    private static void requireStep(long word, LinkState next) {
        LinkState state = state(word);
        if (!state.mayBecome(next)) {
            throw new IllegalStateException(
                    "state=" + state + ": a link in it never becomes " + next + "; look at the word again");
        }
    }

    private static boolean fits(LinkState state, int pid) {
        return switch (state) {
            case RESERVED -> pid == 0;
            case ATTACHED, GOODBYE_GUEST -> pid > 0;
            case GOODBYE_HOST, DEAD -> pid >= 0;
        };
    }

    private static String pidIn(LinkState state) {
        return switch (state) {
            case RESERVED -> "a link that is RESERVED has no guest; take 0";
            case ATTACHED, GOODBYE_GUEST -> "a link that is " + state + " has a guest; take its pid";
            case GOODBYE_HOST, DEAD -> "take the pid of the guest, or 0 if none has attached";
        };
    }

    private static int code(long word) {
        return (int) (word & STATE_MASK);
    }

    private static int rawIncarnation(long word) {
        return (int) (word >>> STATE_BITS) & MAX_INCARNATION;
    }

    private static int rawPid(long word) {
        return (int) (word >>> PID_SHIFT);
    }
}
