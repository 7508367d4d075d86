package dev.carillon.admin;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * A server of the JDK, with the threads that it needs.
 *
 * <p><b>Threading:</b> one thread opens and starts it; any thread closes it.
 */
final class Listener {
    private static final int BACKLOG = 128;

    private final HttpServer server;
    private final String scheme;
    private final Crew crew;

    private Listener(HttpServer server, String scheme, Crew crew) {
        this.server = server;
        this.scheme = scheme;
        this.crew = crew;
    }

    /** Bound, and not started. */
    static Listener open(InetSocketAddress address, @Nullable Handshake handshake, Crew crew) throws IOException {
        Listener fresh =
                handshake == null ? new Listener(HttpServer.create(), "http", crew) : encrypted(handshake, crew);
        boolean isBound = false;
        try {
            fresh.server.bind(address, BACKLOG);
            isBound = true;
        } finally {
            if (!isBound) {
                fresh.discard();
            }
        }
        return fresh;
    }

    private static Listener encrypted(Handshake handshake, Crew crew) throws IOException {
        HttpsServer server = HttpsServer.create();
        server.setHttpsConfigurator(handshake);
        return new Listener(server, "https", crew);
    }

    /** The server closes its selector in its own thread, so a server that never ran never closes it: this one runs. */
    private void discard() throws IOException {
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
        server.start();
        server.stop(0);
    }

    void start(String path, RequestHandler handler) {
        server.createContext(path, handler);
        // The JDK would answer other paths itself, and nobody would hear of it.
        server.createContext("/", handler::handleElsewhere);
        server.setExecutor(crew);
        // The thread that listens inherits this: an endpoint alone is no reason for a process to stay.
        Thread starter = new Thread(server::start, "carillon-admin-start");
        starter.setDaemon(true);
        starter.start();
        boolean wasInterrupted = false;
        while (starter.isAlive()) {
            try {
                starter.join();
            } catch (InterruptedException waitOn) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    InetSocketAddress address() {
        return server.getAddress();
    }

    /** Where a path is, for a client on this machine. */
    URI uri(String path) {
        InetSocketAddress bound = address();
        InetAddress address =
                bound.getAddress().isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : bound.getAddress();
        String host = address.getHostAddress();
        return URI.create(scheme + "://" + (address instanceof Inet6Address ? "[" + host + "]" : host) + ":"
                + bound.getPort() + path);
    }

    void close() {
        server.stop(0);
        crew.close();
    }
}
