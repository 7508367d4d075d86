package dev.carillon.admin;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Something that only the right client knows. It is compared by digest, in a time that depends neither on where two texts
 * differ nor on the length of the right one.
 *
 * <p><b>Threading:</b> immutable.
 */
// r[impl admin.auth]
final class Secret {
    private final byte[] digest;

    Secret(String text) {
        digest = digestOf(text);
    }

    boolean is(String offered) {
        return MessageDigest.isEqual(digest, digestOf(offered));
    }

    private static byte[] digestOf(String text) {
        return sha256(text.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}
