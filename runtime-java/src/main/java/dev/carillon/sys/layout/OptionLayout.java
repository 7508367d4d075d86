package dev.carillon.sys.layout;

/** What setsockopt(2) takes for the options that are no int. */
public final class OptionLayout {
    private OptionLayout() {}

    /** struct linger: two ints. See socket(7). */
    public static final class Linger {
        public static final int SIZE = 8;
        public static final int L_ONOFF = 0;
        public static final int L_LINGER = 4;

        private Linger() {}
    }

    /** struct ip_mreqn: two IPv4 addresses in network order, and an interface. See ip(7). */
    public static final class Mreqn {
        public static final int SIZE = 12;
        public static final int IMR_MULTIADDR = 0;
        public static final int IMR_ADDRESS = 4;
        public static final int IMR_IFINDEX = 8;

        private Mreqn() {}
    }

    /** struct group_req: an interface and a struct sockaddr_storage. */
    public static final class GroupReq {
        public static final int SIZE = 136;
        public static final int GR_INTERFACE = 0;
        public static final int GR_GROUP = 8;

        private GroupReq() {}
    }

    /** struct group_source_req: the same, and another struct sockaddr_storage. */
    public static final class GroupSourceReq {
        public static final int SIZE = 264;
        public static final int GSR_INTERFACE = 0;
        public static final int GSR_GROUP = 8;
        public static final int GSR_SOURCE = 136;

        private GroupSourceReq() {}
    }
}
