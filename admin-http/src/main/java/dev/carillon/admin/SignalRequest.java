package dev.carillon.admin;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the body of a request says.
 *
 * @param signal the name as it was written
 * @param reason for people; null if there is none
 * @param correlationId null if there is none, or none that can be used
 */
record SignalRequest(
        String signal, @Nullable String reason, @Nullable String correlationId) {
    private static final int LONGEST_CORRELATION_ID = 128;
    private static final Set<String> NAMES = Set.of("signal", "reason", "correlation_id");

    static SignalRequest read(byte[] body) throws MalformedBody {
        Map<String, String> members = FlatJson.read(utf8(body));
        for (String name : members.keySet()) {
            if (!NAMES.contains(name)) {
                throw new MalformedBody(
                        "unknown name '" + PlainText.of(name, 32) + "'; there are signal, reason and correlation_id");
            }
        }
        String signal = members.get("signal");
        if (signal == null) {
            throw new MalformedBody("signal is missing");
        }
        return new SignalRequest(signal, members.get("reason"), usable(members.get("correlation_id")));
    }

    private static String utf8(byte[] body) throws MalformedBody {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString();
        } catch (CharacterCodingException broken) {
            throw new MalformedBody("it is not UTF-8");
        }
    }

    private static @Nullable String usable(@Nullable String id) {
        return id != null && !id.isBlank() && id.length() <= LONGEST_CORRELATION_ID && PlainText.isPlain(id)
                ? id
                : null;
    }
}
