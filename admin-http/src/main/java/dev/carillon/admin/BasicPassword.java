package dev.carillon.admin;

import com.sun.net.httpserver.HttpExchange;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** {@code Authorization: Basic BASE64}. <b>Threading:</b> immutable. <b>See:</b> RFC 7617. */
final class BasicPassword implements Authenticator {
    private static final String SCHEME = "Basic";

    private final Identity identity;

    /** Both at once, so that the time tells not even whether the name was right. */
    private final Secret nameAndPassword;

    BasicPassword(String name, String password) {
        if (name.indexOf(':') >= 0) {
            throw new IllegalArgumentException("name=" + name + ": a name in HTTP has no colon");
        }
        if (password.isEmpty()) {
            throw new IllegalArgumentException("the password of name=" + name + " is empty");
        }
        identity = new Identity("basic", name);
        nameAndPassword = new Secret(name + ":" + password);
    }

    @Override
    public @Nullable Identity authenticate(HttpExchange exchange) {
        String offered = AuthorizationHeader.credentials(exchange, SCHEME);
        if (offered == null) {
            return null;
        }
        try {
            String both = new String(Base64.getDecoder().decode(offered), StandardCharsets.UTF_8);
            return nameAndPassword.is(both) ? identity : null;
        } catch (IllegalArgumentException notBase64) {
            return null;
        }
    }

    @Override
    public String challenge() {
        return SCHEME + " realm=\"admin\", charset=\"UTF-8\"";
    }
}
