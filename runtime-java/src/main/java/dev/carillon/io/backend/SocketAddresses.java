package dev.carillon.io.backend;

import static dev.carillon.sys.layout.Constants.AF_INET;
import static dev.carillon.sys.layout.Constants.AF_INET6;
import static dev.carillon.sys.layout.Constants.AF_UNIX;

import dev.carillon.AbstractSocketAddress;
import dev.carillon.sys.FileNames;
import dev.carillon.sys.layout.SockaddrLayout;
import dev.carillon.sys.layout.SockaddrLayout.In;
import dev.carillon.sys.layout.SockaddrLayout.In6;
import dev.carillon.sys.layout.SockaddrLayout.Un;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Converts socket addresses of Java to the form of the kernel, and back. */
public final class SocketAddresses {
    private SocketAddresses() {}

    /** AF_INET, AF_INET6 or AF_UNIX. */
    public static int family(SocketAddress address) {
        if (address instanceof InetSocketAddress inet) {
            return resolved(inet) instanceof Inet6Address ? AF_INET6 : AF_INET;
        }
        if (address instanceof UnixDomainSocketAddress || address instanceof AbstractSocketAddress) {
            return AF_UNIX;
        }
        throw new IllegalArgumentException("address=" + address
                + ": InetSocketAddress, UnixDomainSocketAddress and AbstractSocketAddress can be used");
    }

    /** Writes an address to memory of STORAGE_SIZE bytes; returns its length. */
    public static int put(SocketAddress address, ByteBuffer bytes) {
        if (address instanceof InetSocketAddress inet) {
            InetAddress host = resolved(inet);
            return host instanceof Inet6Address six
                    ? In6.put(bytes, 0, six.getAddress(), inet.getPort(), six.getScopeId())
                    : In.put(bytes, 0, host.getAddress(), inet.getPort());
        }
        if (address instanceof UnixDomainSocketAddress unix) {
            return Un.putPath(bytes, 0, name(address, FileNames.bytesOf(unix.getPath()), 1));
        }
        if (address instanceof AbstractSocketAddress unix) {
            return Un.putAbstract(bytes, 0, name(address, unix.bytes(), 0));
        }
        throw new IllegalArgumentException("address=" + address + ": of no kind that sockets have");
    }

    private static byte[] name(SocketAddress address, byte[] bytes, int least) {
        if (bytes.length < least || bytes.length > Un.LONGEST_NAME) {
            throw new IllegalArgumentException("address=" + address + " has " + bytes.length
                    + " bytes: the name of a Unix socket has 1 to " + Un.LONGEST_NAME
                    + (address instanceof UnixDomainSocketAddress
                            ? "; use a shorter directory"
                            : "; use a shorter name"));
        }
        return bytes;
    }

    private static InetAddress resolved(InetSocketAddress inet) {
        InetAddress host = inet.getAddress();
        if (host == null) {
            throw new IllegalArgumentException(
                    "address=" + inet + " is not resolved: its name could not be looked up, or"
                            + " was not (createUnresolved); correct the name, or look at the resolver of this machine; looking"
                            + " up blocks, so it is done before, with new InetSocketAddress(...)");
        }
        return host;
    }

    /** Reads an address; null for a Unix socket without a name. */
    public static @Nullable SocketAddress get(ByteBuffer bytes, int length) {
        if (length <= Un.SUN_PATH) {
            return null;
        }
        return switch (SockaddrLayout.family(bytes, 0)) {
            case AF_INET -> inet(bytes, In.SIN_ADDR, 4, In.port(bytes, 0), 0);
            case AF_INET6 -> inet(bytes, In6.SIN6_ADDR, 16, In6.port(bytes, 0), bytes.getInt(In6.SIN6_SCOPE_ID));
            case AF_UNIX -> unix(bytes, length);
            default -> null;
        };
    }

    private static SocketAddress inet(ByteBuffer bytes, int at, int size, int port, int scope) {
        byte[] address = new byte[size];
        bytes.get(at, address);
        try {
            InetAddress host = InetAddress.getByAddress(address);
            boolean scoped = scope != 0 && host instanceof Inet6Address;
            return new InetSocketAddress(scoped ? Inet6Address.getByAddress(null, address, scope) : host, port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("size=" + size + ": not the size of an address", e);
        }
    }

    private static SocketAddress unix(ByteBuffer bytes, int length) {
        boolean isAbstract = bytes.get(Un.SUN_PATH) == 0;
        int from = Un.SUN_PATH + (isAbstract ? 1 : 0);
        int to = from;
        while (to < length && (isAbstract || bytes.get(to) != 0)) {
            to++;
        }
        byte[] name = new byte[to - from];
        bytes.get(from, name);
        return isAbstract ? AbstractSocketAddress.of(name) : UnixDomainSocketAddress.of(FileNames.pathOf(name));
    }
}
