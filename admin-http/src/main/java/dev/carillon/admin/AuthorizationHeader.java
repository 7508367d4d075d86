package dev.carillon.admin;

import com.sun.net.httpserver.HttpExchange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The credentials of a request. <b>Threading:</b> any thread. */
final class AuthorizationHeader {
    private static final String NAME = "Authorization";

    private AuthorizationHeader() {}

    /**
     * What follows the name of a scheme.
     *
     * @return null if the request has no such header, several of them, or one of another scheme
     */
    static @Nullable String credentials(HttpExchange exchange, String scheme) {
        List<String> values = exchange.getRequestHeaders().getOrDefault(NAME, List.of());
        if (values.size() != 1) {
            return null;
        }
        String value = values.get(0);
        int space = scheme.length();
        boolean isOurs =
                value.length() > space && value.charAt(space) == ' ' && value.regionMatches(true, 0, scheme, 0, space);
        return isOurs ? value.substring(space + 1).strip() : null;
    }
}
