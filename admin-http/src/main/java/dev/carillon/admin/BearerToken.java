package dev.carillon.admin;

import com.sun.net.httpserver.HttpExchange;
import org.jspecify.annotations.Nullable;

/** {@code Authorization: Bearer TOKEN}. <b>Threading:</b> immutable. <b>See:</b> RFC 6750. */
final class BearerToken implements Authenticator {
    private static final String SCHEME = "Bearer";

    private final Identity identity;
    private final Secret token;

    BearerToken(String name, String token) {
        if (token.isEmpty() || !token.chars().allMatch(letter -> letter > ' ' && letter < 0x7f)) {
            throw new IllegalArgumentException(
                    "the token is empty or has blanks, controls or letters beyond ASCII; take"
                            + " one of at least 32 random letters, as of: openssl rand -hex 32");
        }
        identity = new Identity("bearer", name);
        this.token = new Secret(token);
    }

    @Override
    public @Nullable Identity authenticate(HttpExchange exchange) {
        String offered = AuthorizationHeader.credentials(exchange, SCHEME);
        return offered != null && token.is(offered) ? identity : null;
    }

    @Override
    public String challenge() {
        return SCHEME + " realm=\"admin\"";
    }
}
