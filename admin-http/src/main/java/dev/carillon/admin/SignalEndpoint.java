package dev.carillon.admin;

import dev.carillon.lifecycle.SignalDispatcher;
import java.net.InetSocketAddress;
import java.net.URI;

/**
 * Takes signals by {@code POST /admin/signal}, from those who can prove who they are, and hands them to a lifecycle.
 *
 * <pre>{@code
 * SignalEndpoint endpoint = SignalEndpoint.builder(lifecycle)
 *         .authenticator(Authenticator.bearer("deploy", token))
 *         .port(8099)
 *         .start();
 * lifecycle.onShutdown("admin endpoint", endpoint::close);
 * }</pre>
 *
 * <p>It has a listener and threads of its own, none of which keeps the VM alive. Each connection carries one request.
 *
 * <p><b>Threading:</b> any thread.
 *
 * <p><b>Ownership:</b> who starts it closes it.
 *
 * <p><b>See:</b> docs/admin.md.
 */
public final class SignalEndpoint implements AutoCloseable {
    /** Where it is. */
    public static final String PATH = "/admin/signal";

    private final Listener listener;
    private final URI uri;

    SignalEndpoint(Listener listener) {
        this.listener = listener;
        uri = listener.uri(PATH);
    }

    /**
     * What it is to be like.
     *
     * @param dispatcher who gets the signals: a {@link dev.carillon.lifecycle.Lifecycle}
     */
    public static SignalEndpointBuilder builder(SignalDispatcher dispatcher) {
        return new SignalEndpointBuilder(dispatcher);
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return listener.address();
    }

    /** Where requests go, as a client on this machine writes it. */
    public URI uri() {
        return uri;
    }

    /** Stops listening, and cuts off requests that were not answered. Signals that were accepted are dispatched. */
    @Override
    public void close() {
        listener.close();
    }
}
