package dev.carillon.sys.layout;

import java.nio.ByteBuffer;

/** Socket addresses. Ports and IPv4 addresses are in network order, the rest in the machine's. See bind(2). */
public final class SockaddrLayout {
    /** struct sockaddr_storage: room for any of them. */
    public static final int STORAGE_SIZE = 128;

    /** Where the family stands in each of them. */
    public static final int FAMILY = 0;

    private SockaddrLayout() {}

    public static int family(ByteBuffer bytes, int offset) {
        return Short.toUnsignedInt(bytes.getShort(offset + FAMILY));
    }

    private static void putPort(ByteBuffer bytes, int offset, int port) {
        bytes.put(offset, (byte) (port >>> 8)).put(offset + 1, (byte) port);
    }

    private static int portAt(ByteBuffer bytes, int offset) {
        return Byte.toUnsignedInt(bytes.get(offset)) << 8 | Byte.toUnsignedInt(bytes.get(offset + 1));
    }

    /** struct sockaddr_in: IPv4. See ip(7). */
    public static final class In {
        public static final int SIZE = 16;
        public static final int SIN_FAMILY = 0;
        public static final int SIN_PORT = 2;
        public static final int SIN_ADDR = 4;

        private In() {}

        /** Writes four bytes of address and a port; returns the length. */
        public static int put(ByteBuffer bytes, int offset, byte[] address, int port) {
            bytes.putLong(offset, 0).putLong(offset + Long.BYTES, 0);
            bytes.putShort(offset + SIN_FAMILY, (short) Constants.AF_INET);
            putPort(bytes, offset + SIN_PORT, port);
            bytes.put(offset + SIN_ADDR, address, 0, 4);
            return SIZE;
        }

        public static int port(ByteBuffer bytes, int offset) {
            return portAt(bytes, offset + SIN_PORT);
        }
    }

    /** struct sockaddr_in6: IPv6. See ipv6(7). */
    public static final class In6 {
        public static final int SIZE = 28;
        public static final int SIN6_FAMILY = 0;
        public static final int SIN6_PORT = 2;
        public static final int SIN6_FLOWINFO = 4;
        public static final int SIN6_ADDR = 8;
        public static final int SIN6_SCOPE_ID = 24;

        private In6() {}

        /** Writes 16 bytes of address, a port and the interface of a link-local address (or 0); returns the length. */
        public static int put(ByteBuffer bytes, int offset, byte[] address, int port, int scope) {
            bytes.putShort(offset + SIN6_FAMILY, (short) Constants.AF_INET6);
            putPort(bytes, offset + SIN6_PORT, port);
            bytes.putInt(offset + SIN6_FLOWINFO, 0);
            bytes.put(offset + SIN6_ADDR, address, 0, 16);
            bytes.putInt(offset + SIN6_SCOPE_ID, scope);
            return SIZE;
        }

        public static int port(ByteBuffer bytes, int offset) {
            return portAt(bytes, offset + SIN6_PORT);
        }
    }

    /** struct sockaddr_un: a path, or a name in the abstract space, which begins with a zero byte. See unix(7). */
    public static final class Un {
        public static final int SIZE = 110;
        public static final int SUN_FAMILY = 0;
        public static final int SUN_PATH = 2;

        /** The longest path (one byte is for its end) and the longest abstract name (one byte is for its begin). */
        public static final int LONGEST_NAME = 107;

        private Un() {}

        /** Writes a path and the zero byte after it; returns the length. */
        public static int putPath(ByteBuffer bytes, int offset, byte[] path) {
            if (path.length == 0) {
                throw new IllegalArgumentException("length=0: the path of a Unix socket is not empty");
            }
            putName(bytes, offset, SUN_PATH, path);
            bytes.put(offset + SUN_PATH + path.length, (byte) 0);
            return SUN_PATH + path.length + 1;
        }

        /** Writes an abstract name, given without its zero byte; returns the length. */
        public static int putAbstract(ByteBuffer bytes, int offset, byte[] name) {
            putName(bytes, offset, SUN_PATH + 1, name);
            bytes.put(offset + SUN_PATH, (byte) 0);
            return SUN_PATH + 1 + name.length;
        }

        private static void putName(ByteBuffer bytes, int offset, int at, byte[] name) {
            if (name.length > LONGEST_NAME) {
                throw new IllegalArgumentException(
                        "length=" + name.length + ": a Unix socket's name has at most " + LONGEST_NAME + " bytes");
            }
            bytes.putShort(offset + SUN_FAMILY, (short) Constants.AF_UNIX);
            bytes.put(offset + at, name);
        }
    }
}
