package dev.carillon.shm.segment;

/** Why the memory of a link is refused, and what can be done about it. */
public enum SegmentFault {
    /** There are fewer bytes than the header, or than it speaks of. */
    TOO_SHORT("the object was truncated, or is something else; make a new link"),

    /** The magic is still zero. */
    UNPUBLISHED("the host has not finished the header; attach when it has, with what its ticket says"),

    /** Something else stands where the magic is. */
    MAGIC("this is no segment of Carillon; check which descriptor or file was handed over"),

    /** The host has another byte order, or the mark was damaged. */
    ENDIANNESS("host and guest must run on machines of the same byte order"),

    /** The host has another version of the layout. */
    VERSION("host and guest must use releases with the same layout; update the older one"),

    /** The header has another size. */
    HEADER_SIZE("host and guest must use releases with the same layout; update the older one"),

    /** The host has words of another size. */
    WORD_SIZE("host and guest must both have words of 64 bits"),

    /** The checksum does not fit the header. */
    CHECKSUM("somebody else has written to the header, or its host is faulty; make a new link"),

    /** The numbers of the configuration have no layout. */
    CONFIGURATION("the host is faulty or hostile; make a new link with a host that can be trusted"),

    /** The offsets are not those of the configuration. */
    OFFSETS("the host is faulty or hostile; make a new link with a host that can be trusted"),

    /** The total is not that of the configuration. */
    TOTAL_SIZE("the host is faulty or hostile; make a new link with a host that can be trusted"),

    /** The ids cannot be those of a host and its peer. */
    IDENTITY("the host is faulty or hostile; make a new link with a host that can be trusted"),

    /** Bytes that are zero in this version are not. */
    RESERVED("the host is faulty, or has a newer layout with the same version; make a new link"),

    /** The link word has no meaning. */
    LINK_WORD("the peer is faulty or hostile; end the link");

    private final String advice;

    SegmentFault(String advice) {
        this.advice = advice;
    }

    /** What to do, without a full stop. */
    public String advice() {
        return advice;
    }
}
