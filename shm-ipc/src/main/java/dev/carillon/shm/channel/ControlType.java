package dev.carillon.shm.channel;

/** What a control frame says about a channel. Its code is the type of the frame. */
public enum ControlType {
    /** The sender has the channel from now on, and takes data on it. */
    OPEN(0xFF00),

    /** The other side takes data on it as well. */
    ACCEPT(0xFF01),

    /** The sender sends no more data on it. */
    CLOSE(0xFF02),

    /** The sender neither sends nor receives on it any more. */
    RESET(0xFF03);

    /** The first type that is no program's. */
    public static final int FIRST_CODE = 0xFF00;

    private static final ControlType[] ALL = values();

    private final int code;

    ControlType(int code) {
        this.code = code;
    }

    /** The type of its frame. */
    public int code() {
        return code;
    }

    /**
     * The one of a code.
     *
     * @throws ChannelViolation if there is none
     */
    static ControlType of(int code) {
        for (ControlType type : ALL) {
            if (type.code == code) {
                return type;
            }
        }
        throw new ChannelViolation("there is no control frame of type " + code);
    }
}
