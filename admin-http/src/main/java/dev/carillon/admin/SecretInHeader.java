package dev.carillon.admin;

import com.sun.net.httpserver.HttpExchange;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A secret in the header Authorization: a token, or a name and a password.
 *
 * <p><b>Threading:</b> immutable.
 *
 * <p><b>See:</b> RFC 6750, RFC 7617.
 */
final class SecretInHeader implements Authenticator {
    private final String scheme;
    private final String parameters;
    private final Identity identity;
    private final Secret secret;

    /** From what the header has to the secret; throws an IllegalArgumentException for what has no such form. */
    private final UnaryOperator<String> form;

    private SecretInHeader(
            String scheme, String parameters, Identity identity, Secret secret, UnaryOperator<String> form) {
        this.scheme = scheme;
        this.parameters = parameters;
        this.identity = identity;
        this.secret = secret;
        this.form = form;
    }

    static SecretInHeader token(String name, String token) {
        if (token.isEmpty() || !token.chars().allMatch(letter -> letter > ' ' && letter < 0x7f)) {
            throw new IllegalArgumentException(
                    "the token is empty or has blanks, controls or letters beyond ASCII; take"
                            + " one of at least 32 random letters, as of: openssl rand -hex 32");
        }
        Identity identity = new Identity("bearer", name);
        return new SecretInHeader("Bearer", "", identity, new Secret(token), UnaryOperator.identity());
    }

    /** Name and password are one secret, so that the time tells not even whether the name was right. */
    static SecretInHeader password(String name, String password) {
        if (name.indexOf(':') >= 0) {
            throw new IllegalArgumentException("name=" + name + ": a name in HTTP has no colon");
        }
        if (password.isEmpty()) {
            throw new IllegalArgumentException("the password of name=" + name + " is empty");
        }
        Identity identity = new Identity("basic", name);
        Secret both = new Secret(name + ":" + password);
        return new SecretInHeader("Basic", ", charset=\"UTF-8\"", identity, both, SecretInHeader::fromBase64);
    }

    private static String fromBase64(String text) {
        return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
    }

    @Override
    public @Nullable Identity authenticate(HttpExchange exchange) {
        String offered = credentials(exchange);
        try {
            return offered != null && secret.is(form.apply(offered)) ? identity : null;
        } catch (IllegalArgumentException hasAnotherForm) {
            return null;
        }
    }

    /** What follows the scheme; null if there is no such header, another scheme, or several headers. */
    private @Nullable String credentials(HttpExchange exchange) {
        List<String> values = exchange.getRequestHeaders().getOrDefault("Authorization", List.of());
        if (values.size() != 1) {
            return null;
        }
        String value = values.get(0);
        int space = scheme.length();
        boolean isOurs =
                value.length() > space && value.charAt(space) == ' ' && value.regionMatches(true, 0, scheme, 0, space);
        return isOurs ? value.substring(space + 1).strip() : null;
    }

    @Override
    public String challenge() {
        return scheme + " realm=\"admin\"" + parameters;
    }
}
