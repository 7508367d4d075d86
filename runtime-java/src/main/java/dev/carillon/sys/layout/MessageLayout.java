package dev.carillon.sys.layout;

import java.nio.ByteBuffer;

/** What sendmsg(2) and recvmsg(2) take, and what travels beside the bytes: cmsg(3). */
public final class MessageLayout {
    private MessageLayout() {}

    /** struct iovec: one piece of memory. */
    public static final class Iovec {
        public static final int SIZE = 16;
        public static final int IOV_BASE = 0;
        public static final int IOV_LEN = 8;

        private Iovec() {}

        public static void put(ByteBuffer array, int offset, int index, long address, long length) {
            array.putLong(offset + index * SIZE + IOV_BASE, address);
            array.putLong(offset + index * SIZE + IOV_LEN, length);
        }
    }

    /** struct msghdr. */
    public static final class Msghdr {
        public static final int SIZE = 56;
        public static final int MSG_NAME = 0;
        public static final int MSG_NAMELEN = 8;
        public static final int MSG_IOV = 16;
        public static final int MSG_IOVLEN = 24;
        public static final int MSG_CONTROL = 32;
        public static final int MSG_CONTROLLEN = 40;
        public static final int MSG_FLAGS = 48;

        private Msghdr() {}
    }

    /** struct cmsghdr, in front of each control message; the next one begins at a multiple of 8. */
    public static final class Cmsghdr {
        public static final int SIZE = 16;
        public static final int CMSG_LEN = 0;
        public static final int CMSG_LEVEL = 8;
        public static final int CMSG_TYPE = 12;

        private Cmsghdr() {}

        /** CMSG_SPACE: the room that a message with this much data takes. */
        public static int space(int dataBytes) {
            return SIZE + (dataBytes + Long.BYTES - 1) / Long.BYTES * Long.BYTES;
        }
    }

    /** struct ucred: who is at the other end of a Unix socket. See SO_PEERCRED in unix(7). */
    public static final class Ucred {
        public static final int SIZE = 12;
        public static final int PID = 0;
        public static final int UID = 4;
        public static final int GID = 8;

        private Ucred() {}
    }
}
