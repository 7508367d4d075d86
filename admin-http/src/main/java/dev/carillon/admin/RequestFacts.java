package dev.carillon.admin;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What is known of a request, as far as it has come. <b>Threading:</b> the one of the request. */
final class RequestFacts {
    final Source source;

    @Nullable
    Identity identity;

    @Nullable
    SignalRequest body;

    /** What broke while the request was looked at, which is our fault or that of the program. */
    @Nullable
    Throwable failure;

    private @Nullable String correlationId;

    RequestFacts(Source source) {
        this.source = source;
    }

    /** The one that the request brings, or a new one. */
    String correlationId() {
        String id = correlationId;
        if (id == null) {
            SignalRequest said = body;
            String brought = said == null ? null : said.correlationId();
            id = brought == null ? UUID.randomUUID().toString() : brought;
            correlationId = id;
        }
        return id;
    }

    /** Under which name its requests are counted. */
    String client() {
        Identity who = identity;
        return who != null && who.isNamed() ? "identity " + who : "network " + source.network();
    }

    /** Where a signal comes from, for the log of the lifecycle. */
    String origin() {
        return "http from " + PlainText.of(String.valueOf(identity), PlainText.LONGEST_FIELD) + " at "
                + source.address() + ", correlation_id " + correlationId();
    }
}
