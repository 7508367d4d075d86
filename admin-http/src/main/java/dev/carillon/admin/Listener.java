package dev.carillon.admin;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** A server of the JDK that is bound and has not started. <b>Threading:</b> one thread. */
final class Listener {
    private static final int BACKLOG = 128;

    private final HttpServer server;
    private final String scheme;

    private Listener(HttpServer server, String scheme) {
        this.server = server;
        this.scheme = scheme;
    }

    static Listener open(InetSocketAddress address, @Nullable Handshake handshake) throws IOException {
        Listener fresh = handshake == null ? new Listener(HttpServer.create(), "http") : encrypted(handshake);
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

    private static Listener encrypted(Handshake handshake) throws IOException {
        HttpsServer server = HttpsServer.create();
        server.setHttpsConfigurator(handshake);
        return new Listener(server, "https");
    }

    /** The server closes its selector in its own thread, so a server that never ran never closes it: this one runs. */
    private void discard() throws IOException {
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
        server.start();
        server.stop(0);
    }

    SignalEndpoint start(HttpHandler handler, Crew crew) {
        server.createContext(SignalEndpoint.PATH, handler);
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
        return new SignalEndpoint(server, crew, uri());
    }

    private URI uri() {
        InetSocketAddress bound = server.getAddress();
        InetAddress address =
                bound.getAddress().isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : bound.getAddress();
        String host = address.getHostAddress();
        return URI.create(scheme + "://" + (address instanceof Inet6Address ? "[" + host + "]" : host) + ":"
                + bound.getPort() + SignalEndpoint.PATH);
    }
}
