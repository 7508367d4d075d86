package dev.carillon.admin;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.carillon.Signal;
import dev.carillon.SignalSet;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests, and dispatches what they ask for afterwards.
 *
 * <p><b>Order:</b> the response goes out, then the record is written, then the signal is dispatched: a TERM may end the process
 * before anything that came later.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl admin.contract] r[impl admin.fallback]
final class RequestHandler implements HttpHandler {
    private final EndpointSettings settings;
    private final BiConsumer<RequestFacts, Answer> log;

    /**
     * Makes one.
     *
     * @param log gets every answer that was sent
     */
    RequestHandler(EndpointSettings settings, BiConsumer<RequestFacts, Answer> log) {
        this.settings = settings;
        this.log = log;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        RequestFacts facts = new RequestFacts(Source.of(exchange));
        finish(exchange, answerTo(exchange, facts), facts);
    }

    /** For requests to other paths of a server that has nothing else. */
    void handleElsewhere(HttpExchange exchange) throws IOException {
        finish(exchange, Answer.wrongPath(), new RequestFacts(Source.of(exchange)));
    }

    private void finish(HttpExchange exchange, Answer answer, RequestFacts facts) throws IOException {
        IOException unsent = send(exchange, answer, facts);
        Crew.settle();
        try {
            log.accept(facts, answer);
        } finally {
            dispatch(answer.signal(), facts);
        }
        if (unsent != null) {
            // The server forgets a connection only if it hears of the failure itself.
            throw unsent;
        }
    }

    private Answer answerTo(HttpExchange exchange, RequestFacts facts) {
        try {
            Answer answer = Optional.ofNullable(refusal(exchange, facts)).orElseGet(() -> judged(exchange, facts));
            // What the program says in a header may be none: that is found out here, where it can still be answered.
            answer.writeHeaders(new Headers());
            return answer;
        } catch (Throwable broken) {
            // Anything, also what is not declared: it would end the thread, and the server would not learn that the
            // connection
            // is over.
            facts.failure = broken;
            return Answer.failed();
        }
    }

    /** What can be said before the body is read; null if nothing speaks against the request so far. */
    private @Nullable Answer refusal(HttpExchange exchange, RequestFacts facts) {
        if (!Objects.equals(
                exchange.getRequestURI().getPath(), exchange.getHttpContext().getPath())) {
            return Answer.wrongPath();
        }
        if (!exchange.getRequestMethod().equals("POST")) {
            return Answer.wrongMethod();
        }
        long wait = settings.failures().wait(facts.source.network());
        if (wait > 0) {
            return Answer.tooMany("failed authentications", wait);
        }
        Identity who = identify(exchange);
        facts.identity = who;
        if (who == null) {
            settings.failures().tryCount(facts.source.network());
            return Answer.unauthenticated(challenges());
        }
        if (permitted(who).isEmpty()) {
            return Answer.forbidden(who);
        }
        wait = settings.requests().tryCount(facts.client());
        if (wait > 0) {
            return Answer.tooMany("requests", wait);
        }
        return refusalOf(exchange.getRequestHeaders());
    }

    private @Nullable Identity identify(HttpExchange exchange) {
        for (Authenticator authenticator : settings.authenticators()) {
            Identity found = authenticator.authenticate(exchange);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private List<String> challenges() {
        return settings.authenticators().stream()
                .map(Authenticator::challenge)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
    }

    private SignalSet permitted(Identity who) {
        return settings.permissions().apply(who);
    }

    private static @Nullable Answer refusalOf(Headers headers) {
        String type = headers.getFirst("Content-Type");
        if (type == null || !type.split(";", 2)[0].strip().equalsIgnoreCase("application/json")) {
            return Answer.wrongType();
        }
        String length = headers.getFirst("Content-Length");
        // The server has looked at it, and refuses what is no number.
        return length != null && Long.parseLong(length) > Answer.MOST_BYTES ? Answer.tooLong() : null;
    }

    private Answer judged(HttpExchange exchange, RequestFacts facts) {
        SignalRequest request;
        try {
            byte[] body = exchange.getRequestBody().readNBytes(Answer.MOST_BYTES + 1);
            if (body.length > Answer.MOST_BYTES) {
                return Answer.tooLong();
            }
            request = SignalRequest.read(body);
        } catch (MalformedBody why) {
            return Answer.malformed(String.valueOf(why.getMessage()));
        } catch (IOException broken) {
            return Answer.malformed("it did not come as a whole");
        }
        facts.body = request;
        Signal signal = settings.dispatcher().resolve(request.signal());
        if (signal == null || !settings.signals().contains(signal)) {
            return Answer.unknownSignal(request.signal(), settings.signals());
        }
        Identity who = Objects.requireNonNull(facts.identity);
        if (!permitted(who).contains(signal)) {
            return Answer.forbidden(who, signal);
        }
        return settings.dispatcher().handles(signal) ? Answer.accepted(signal) : Answer.unhandled(signal);
    }

    /** The failure, if the client is not there any more, or too slow. */
    private static @Nullable IOException send(HttpExchange exchange, Answer answer, RequestFacts facts) {
        byte[] body = answer.body(facts.correlationId());
        answer.writeHeaders(exchange.getResponseHeaders());
        try {
            if (exchange.getRequestMethod().equals("HEAD")) {
                exchange.sendResponseHeaders(answer.status(), -1);
                return null;
            }
            exchange.sendResponseHeaders(answer.status(), body.length);
            // Closed by name only after all was written: a close before that is another failure, which hides the first
            // one.
            OutputStream response = exchange.getResponseBody();
            response.write(body);
            response.close();
            return null;
        } catch (IOException gone) {
            return gone;
        }
    }

    private void dispatch(@Nullable Signal signal, RequestFacts facts) {
        if (signal == null) {
            return;
        }
        try {
            settings.dispatcher().dispatch(signal, facts.origin());
        } catch (Throwable nobodyTakesIt) {
            RequestLog.notDispatched(facts, nobodyTakesIt);
        }
    }
}
