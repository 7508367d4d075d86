package dev.carillon.admin;

import dev.carillon.Signal;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/** One record for each request, under the name of the class that users know. <b>Threading:</b> any thread. */
// r[impl admin.log]
final class RequestLog {
    private static final Logger LOG = LoggerFactory.getLogger("dev.carillon.admin.SignalEndpoint");

    private RequestLog() {}

    /** What came of a request. A field that is not known is left out. */
    static void answered(RequestFacts facts, Answer answer) {
        Identity who = facts.identity;
        SignalRequest said = facts.body;
        Signal signal = answer.signal();
        Map<String, @Nullable String> fields = new LinkedHashMap<>();
        fields.put("correlation_id", facts.correlationId());
        fields.put("source", facts.source.address());
        fields.put("identity", who == null ? null : who.toString());
        fields.put("signal", signal != null ? Answer.shortName(signal) : said == null ? null : said.signal());
        fields.put("status", Integer.toString(answer.status()));
        fields.put("error", answer.error());
        fields.put("reason", said == null ? null : said.reason());
        LoggingEventBuilder record = LOG.atLevel(levelOf(answer)).setMessage("Signal request");
        for (Map.Entry<String, @Nullable String> field : fields.entrySet()) {
            String value = field.getValue();
            if (value != null) {
                record = record.addKeyValue(field.getKey(), PlainText.of(value, PlainText.LONGEST_FIELD));
            }
        }
        (facts.failure == null ? record : record.setCause(facts.failure)).log();
    }

    private static Level levelOf(Answer answer) {
        if (answer.signal() != null) {
            return Level.INFO;
        }
        return answer.status() < 500 ? Level.WARN : Level.ERROR;
    }

    /** It was accepted, and then nobody took it. */
    static void notDispatched(RequestFacts facts, Throwable why) {
        LOG.atError()
                .setMessage("An accepted signal was dispatched to nobody")
                .addKeyValue("correlation_id", facts.correlationId())
                .setCause(why)
                .log();
    }
}
