package dev.carillon.admin;

import com.sun.net.httpserver.HttpHandler;
import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.lifecycle.SignalCatalog;
import dev.carillon.lifecycle.SignalDispatcher;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Collects what a {@link SignalEndpoint} is to be like. <b>Threading:</b> one thread. */
public final class SignalEndpointBuilder {
    private static final int MOST_REQUESTS = 1000;
    private static final Duration LONGEST = Duration.ofDays(1);

    private final SignalDispatcher dispatcher;
    private final List<Authenticator> authenticators = new ArrayList<>();
    private InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private @Nullable SSLContext tls;
    private boolean isPlainTextMeant;
    private Set<Signal> signals = new LinkedHashSet<>(
            List.of(Signal.SIGHUP, Signal.SIGTERM, Signal.SIGINT, Signal.SIGQUIT, Signal.SIGUSR1, Signal.SIGUSR2));
    private Function<Identity, SignalSet> permissions = anyone -> SignalSet.all();
    private int requests = 10;
    private Duration requestWindow = Duration.ofMinutes(1);
    private int failures = 5;
    private Duration failureWindow = Duration.ofMinutes(1);
    private Duration timeLimit = Duration.ofSeconds(10);
    private int threads = 32;
    private int waiting = 256;
    private LongSupplier clock = System::nanoTime;

    SignalEndpointBuilder(SignalDispatcher dispatcher) {
        this.dispatcher = Objects.requireNonNull(dispatcher, "dispatcher");
    }

    /** One more way to prove who one is. There is none by default, and without one nothing is built. */
    public SignalEndpointBuilder authenticator(Authenticator value) {
        authenticators.add(Objects.requireNonNull(value, "authenticator"));
        return this;
    }

    /**
     * Where to listen. Default: loopback, on a port that is free. Another address than loopback needs TLS.
     *
     * @param value port 0: any that is free
     */
    public SignalEndpointBuilder address(InetSocketAddress value) {
        if (value.isUnresolved()) {
            throw new IllegalArgumentException("address=" + value + ": this name has no address");
        }
        address = value;
        return this;
    }

    /** Where to listen, on loopback. */
    public SignalEndpointBuilder port(int value) {
        return address(new InetSocketAddress(InetAddress.getLoopbackAddress(), value));
    }

    /** Listens with TLS. The context has the key of the server, and the trust manager that judges certificates of clients. */
    public SignalEndpointBuilder tls(SSLContext value) {
        tls = Objects.requireNonNull(value, "tls");
        return this;
    }

    /** Default false: without TLS it listens on loopback only, as everyone on the way could read what proves an identity. */
    public SignalEndpointBuilder allowPlainText(boolean value) {
        isPlainTextMeant = value;
        return this;
    }

    /** Which signals may be sent at all. Default HUP, TERM, INT, QUIT, USR1 and USR2. */
    public SignalEndpointBuilder signals(Signal... values) {
        Set<Signal> fresh = new LinkedHashSet<>(List.of(values));
        for (Signal signal : fresh) {
            if (signal.equals(Signal.SIGKILL) || SignalCatalog.find(signal).isEmpty()) {
                throw new IllegalArgumentException("signal=" + signal
                        + " cannot be sent to a lifecycle; SignalCatalog.entries() has those that can, and KILL");
            }
        }
        if (fresh.isEmpty()) {
            throw new IllegalArgumentException("no signals: an endpoint that takes none is of no use");
        }
        signals = fresh;
        return this;
    }

    /**
     * What each identity may send of the signals that may be sent at all. Who may send none is refused before the body is read.
     * Called for each request. Default: everyone may send everything.
     */
    public SignalEndpointBuilder permissions(Function<Identity, SignalSet> value) {
        permissions = Objects.requireNonNull(value, "permissions");
        return this;
    }

    /**
     * How many requests an identity may send in a time; one without a name counts by its address. Default 10 a minute.
     *
     * @param most from 1 to 1000
     * @param window more than zero, and at most a day
     */
    public SignalEndpointBuilder requestLimit(int most, Duration window) {
        requests = checked("requestLimit", most, MOST_REQUESTS);
        requestWindow = checked("window", window);
        return this;
    }

    /**
     * How many failed authentications an address may have in a time, before it is not listened to. Default 5 a minute.
     *
     * @param most from 1 to 1000
     * @param window more than zero, and at most a day
     */
    public SignalEndpointBuilder failureLimit(int most, Duration window) {
        failures = checked("failureLimit", most, MOST_REQUESTS);
        failureWindow = checked("window", window);
        return this;
    }

    /**
     * How long a request may take from its first byte to the end of the response. Default 10 seconds.
     *
     * @param value more than zero, and at most a day
     */
    public SignalEndpointBuilder timeLimit(Duration value) {
        timeLimit = checked("timeLimit", value);
        return this;
    }

    /**
     * How many connections with a request may be open at once; more are closed.
     *
     * @param threads how many of them are read at once, from 1 to 1000; default 32
     * @param waiting how many of them wait for that, from 1 to 32767; default 256
     */
    public SignalEndpointBuilder connections(int threads, int waiting) {
        this.threads = checked("threads", threads, MOST_REQUESTS);
        this.waiting = checked("waiting", waiting, Short.MAX_VALUE);
        return this;
    }

    SignalEndpointBuilder clock(LongSupplier value) {
        clock = value;
        return this;
    }

    private static int checked(String name, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(name + "=" + value + ": from 1 to " + most);
        }
        return value;
    }

    private static Duration checked(String name, Duration value) {
        if (value.isNegative() || value.isZero() || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + "=" + value + ": more than zero, and at most " + LONGEST);
        }
        return value;
    }

    /**
     * For a server that is there already: not the one of the public port. It takes requests whose path is that of its
     * context. Threads, time limits and TLS are those of the server.
     *
     * @throws IllegalStateException if there is no authenticator
     */
    public HttpHandler handler() {
        return requestHandler();
    }

    private RequestHandler requestHandler() {
        if (authenticators.isEmpty()) {
            throw new IllegalStateException("an endpoint without authenticator would let anyone end this process; add"
                    + " authenticator(Authenticator.bearer(name, token)), or another one");
        }
        EndpointSettings settings = new EndpointSettings(
                dispatcher,
                List.copyOf(authenticators),
                List.copyOf(signals),
                permissions,
                new RequestLimit(requests, requestWindow, clock),
                new RequestLimit(failures, failureWindow, clock));
        return new RequestHandler(settings, RequestLog::answered);
    }

    /**
     * Listens.
     *
     * @throws IllegalStateException if there is no authenticator, if plain text would leave the machine, or if an authenticator
     *     needs TLS and there is none
     * @throws IOException if the address cannot be bound
     */
    // r[impl admin.auth]
    public SignalEndpoint start() throws IOException {
        RequestHandler handler = requestHandler();
        boolean needsCertificates = authenticators.stream().anyMatch(Authenticator::needsClientCertificate);
        if (tls == null && needsCertificates) {
            throw new IllegalStateException(
                    "an authenticator looks at certificates of clients, so it needs tls(context)");
        }
        if (tls == null && !isPlainTextMeant && !address.getAddress().isLoopbackAddress()) {
            throw new IllegalStateException(
                    "address=" + address + " can be reached from elsewhere, and without TLS everyone"
                            + " on the way reads tokens and passwords; use tls(context), or loopback, or allowPlainText(true)"
                            + " where something else encrypts");
        }
        boolean areOthersThere = authenticators.stream().anyMatch(one -> !one.needsClientCertificate());
        Rehearsal.once();
        Listener listener = Listener.open(
                address,
                tls == null ? null : new Handshake(tls, needsCertificates, areOthersThere),
                new Crew(threads, waiting, timeLimit));
        listener.start(SignalEndpoint.PATH, handler);
        return new SignalEndpoint(listener);
    }
}
