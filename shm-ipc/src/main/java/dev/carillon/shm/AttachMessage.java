package dev.carillon.shm;

import dev.carillon.shm.segment.SegmentIdentity;
import dev.carillon.sys.Errno;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * What host and guest say to each other through the socket, in the byte order of the machine.
 *
 * <pre>
 * guest:  0 "CARGUEST"   8 u32 version   12 u32 0
 * host:   0 "CAR-HOST"   8 u32 version   12 u32 verdict   16 u64 link id, high half   24 u64 low half
 * </pre>
 *
 * <p>With the verdict WELCOME come two descriptors, the memory and the guest's end of the bell. With NO_ROOM there is an errno in place
 * of the high half, or 0 if the host has as many guests as it can have.
 */
// r[impl shm.attach.socket]
final class AttachMessage {
    static final int HELLO_BYTES = 16;
    static final int ANSWER_BYTES = 32;

    private static final int VERSION = 1;
    private static final int VERSION_AT = 8;
    private static final int VERDICT_AT = 12;
    private static final int ID_HIGH_AT = 16;
    private static final int ID_LOW_AT = 24;
    private static final ByteBuffer GUEST = ascii("CARGUEST");
    private static final ByteBuffer HOST = ascii("CAR-HOST");

    private AttachMessage() {}

    private static ByteBuffer ascii(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)).asReadOnlyBuffer();
    }

    private static ByteBuffer begun(int size, ByteBuffer magic) {
        return ByteBuffer.allocate(size)
                .order(ByteOrder.nativeOrder())
                .put(0, magic, 0, magic.limit())
                .putInt(VERSION_AT, VERSION);
    }

    /** What a guest says first. */
    static ByteBuffer hello() {
        return begun(HELLO_BYTES, GUEST);
    }

    /** What a host says; no descriptors go with it. */
    static ByteBuffer refusal(Verdict verdict) {
        return begun(ANSWER_BYTES, HOST).putInt(VERDICT_AT, verdict.code);
    }

    /** Says that the host has no room, for want of what that errno means; 0 if it has all its guests. */
    static ByteBuffer noRoom(int errno) {
        return refusal(Verdict.NO_ROOM).putLong(ID_HIGH_AT, errno);
    }

    /** Why the host has no room; goes on after the meaning of the verdict. */
    // r[impl shm.attach.shortage]
    static String shortage(ByteBuffer answer) {
        int errno = (int) answer.getLong(ID_HIGH_AT);
        String name = "(" + Errno.name(errno) + ")";
        return switch (errno) {
            case 0 -> "it has " + HostLinks.MOST + ", the most; end some of them, or have another host";
            case Errno.EMFILE ->
                "it is out of descriptors " + name + "; raise its limit (ulimit -n), or look at what it has open";
            case Errno.ENFILE -> "its machine is out of descriptors " + name + "; look at fs.file-max";
            case Errno.ENOMEM, Errno.ENOBUFS, Errno.ENOSPC ->
                "it is short of memory " + name + "; its log has told for what";
            default -> "it cannot make a link " + name + "; its log has told why";
        };
    }

    /** What goes with two descriptors. */
    static ByteBuffer welcome(SegmentIdentity link) {
        return refusal(Verdict.WELCOME).putLong(ID_HIGH_AT, link.linkIdHigh()).putLong(ID_LOW_AT, link.linkIdLow());
    }

    /** Whether somebody says what a guest says, as far as it has come, perhaps of another version. */
    static boolean mayBeHello(ByteBuffer received) {
        return received.position() <= HELLO_BYTES && starts(received, GUEST);
    }

    /** Whether a hello that has come is one of our version. */
    static boolean isOurHello(ByteBuffer received) {
        return isOurVersion(received) && received.getInt(VERDICT_AT) == 0;
    }

    /** Whether somebody has said what a host says, perhaps of another version. */
    static boolean isAnswer(ByteBuffer received) {
        // With descriptors it comes in one piece.
        return !received.hasRemaining() && starts(received, HOST);
    }

    private static boolean starts(ByteBuffer received, ByteBuffer magic) {
        int length = Math.min(received.position(), magic.limit());
        return received.slice(0, length).equals(magic.slice(0, length));
    }

    /** The version, of a hello or an answer, is ours. */
    static boolean isOurVersion(ByteBuffer received) {
        return received.getInt(VERSION_AT) == VERSION;
    }

    /** The verdict of an answer of our version. */
    static Verdict verdict(ByteBuffer answer) {
        int code = answer.getInt(VERDICT_AT);
        for (Verdict each : Verdict.values()) {
            if (each.code == code) {
                return each;
            }
        }
        return Verdict.UNKNOWN;
    }

    /** Whether the answer is about that link. */
    static boolean isAbout(ByteBuffer answer, SegmentIdentity link) {
        return answer.getLong(ID_HIGH_AT) == link.linkIdHigh() && answer.getLong(ID_LOW_AT) == link.linkIdLow();
    }

    /** What becomes of a guest. */
    enum Verdict {
        WELCOME(0, "is welcome"),
        OTHER_VERSION(1, "speaks another version of Carillon; use the same one on both sides"),
        NOT_ALLOWED(2, "takes no guests of this user; HostConfig.allow of the host decides"),
        NO_ROOM(3, "has no room for another guest: "),
        FAILED(4, "has failed to decide on this guest: HostConfig.allow or linkFor has thrown; its log has told what"),
        UNKNOWN(-1, "gives an answer that has no meaning here; use the same version of Carillon on both sides");

        private final int code;
        private final String meaning;

        Verdict(int code, String meaning) {
            this.code = code;
            this.meaning = meaning;
        }

        /** Goes on after "the host". */
        String meaning() {
            return meaning;
        }
    }
}
