package dev.carillon.admin;

import com.sun.net.httpserver.HttpExchange;
import org.jspecify.annotations.Nullable;

/**
 * Finds out who sends a request. An endpoint may have several; the first that knows the sender decides.
 *
 * <p>One of your own looks at the headers, the address and the TLS session, and never at the body, which nobody has asked for
 * yet. What it throws is a refusal with status 500.
 *
 * <p><b>Threading:</b> any thread, several at once.
 *
 * <p><b>See:</b> docs/admin.md.
 */
// r[impl admin.auth]
public interface Authenticator {
    /**
     * Who sends this.
     *
     * @return null if the request does not prove it
     */
    @Nullable
    Identity authenticate(HttpExchange exchange);

    /** What the header WWW-Authenticate says to who has proved nothing; null if there is nothing to say. */
    default @Nullable String challenge() {
        return null;
    }

    /** Whether it looks at the certificate of the client, so that TLS has to ask for one. */
    default boolean needsClientCertificate() {
        return false;
    }

    /**
     * The certificate of the client is the proof, its SHA-256 fingerprint the name: 64 hexadecimal digits, in lower case. Which
     * certificates are good is a matter of the trust manager in the SSLContext.
     */
    static Authenticator mutualTls() {
        return new MutualTls(MutualTls::fingerprint);
    }

    /**
     * The certificate of the client is the proof, its subject the name, as in {@code CN=deploy,O=Example}. Whoever signs
     * certificates that the trust manager accepts decides who is who.
     */
    static Authenticator mutualTlsBySubject() {
        return new MutualTls(MutualTls::subject);
    }

    /** A token in the header Authorization is the proof. It names nobody, so requests are counted by address. */
    static Authenticator bearer(String token) {
        return SecretInHeader.token("", token);
    }

    /**
     * A token in the header Authorization is the proof.
     *
     * @param name whose token it is
     * @throws IllegalArgumentException if the name is empty, or the token is empty or has other than visible characters of
     *     ASCII
     */
    static Authenticator bearer(String name, String token) {
        return SecretInHeader.token(named(name), token);
    }

    /**
     * A name and a password in the header Authorization are the proof. For networks that are private: without TLS, everyone
     * on the way reads both.
     *
     * @throws IllegalArgumentException if the name is empty or has a colon, or the password is empty
     */
    static Authenticator basic(String name, String password) {
        return SecretInHeader.password(named(name), password);
    }

    private static String named(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("name is blank; it is what log records and permissions call the sender");
        }
        return name;
    }
}
