package dev.carillon.admin;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.lifecycle.SignalDispatcher;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * One request to a listener that nobody else knows, before the first endpoint of the VM listens.
 *
 * <p>The server of the JDK and its sockets load and initialize classes with the first request, and some of these need descriptors.
 * Where a process has none left at that moment, an initializer fails, which it does once and for all: the thread that listens
 * ends, and descriptors that become free later help nobody. After a rehearsal all of them are there.
 *
 * <p>It is not a request to the endpoint itself, which would need a certificate there, would count, and would be in the log.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl admin.descriptors]
final class Rehearsal {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final String BODY = "{\"signal\":\"TERM\"}";
    private static boolean isOver;

    private Rehearsal() {}

    /** Takes place, if there was none yet. A failure is no reason to have no endpoint. */
    static synchronized void once() {
        if (isOver) {
            return;
        }
        try {
            run();
            isOver = true;
        } catch (IOException notHere) {
            LoggerFactory.getLogger(SignalEndpoint.class)
                    .debug("The endpoint could not be tried out; its first request needs more descriptors", notHere);
        }
    }

    private static void run() throws IOException {
        InetSocketAddress anywhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        Listener listener = Listener.open(anywhere, null, new Crew(1, 1, LIMIT));
        try {
            listener.start(SignalEndpoint.PATH, handler());
            try (Socket client = new Socket(
                    listener.address().getAddress(), listener.address().getPort())) {
                client.setSoTimeout((int) LIMIT.toMillis());
                String request = "POST " + SignalEndpoint.PATH + " HTTP/1.1\r\nHost: localhost\r\n"
                        + "Content-Type: application/json\r\nContent-Length: " + BODY.length() + "\r\n\r\n" + BODY;
                client.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
                client.getInputStream().readAllBytes();
            }
        } finally {
            listener.close();
        }
    }

    /** Believes everyone, does nothing, and tells nobody. */
    private static RequestHandler handler() {
        return new RequestHandler(
                new EndpointSettings(
                        new Nobody(),
                        List.of(anyone -> new Identity("rehearsal", "")),
                        List.of(Signal.SIGTERM),
                        anyone -> SignalSet.all(),
                        new RequestLimit(1, LIMIT, System::nanoTime),
                        new RequestLimit(1, LIMIT, System::nanoTime)),
                (facts, answer) -> {});
    }

    private static final class Nobody implements SignalDispatcher {
        @Override
        public boolean handles(Signal signal) {
            return true;
        }

        @Override
        public void dispatch(Signal signal, String origin) {
            // It was a rehearsal.
        }
    }
}
