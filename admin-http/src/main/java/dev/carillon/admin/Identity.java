package dev.carillon.admin;

import java.util.Objects;

/**
 * Who sends a request, as an {@link Authenticator} has proved it.
 *
 * @param method how it was proved: {@code mtls}, {@code bearer}, {@code basic}, or a word of another authenticator
 * @param name who it is; empty if the proof names nobody, as a token that several clients share. The requests of such a one
 *     are counted by their address.
 */
public record Identity(String method, String name) {
    /** Checked. */
    public Identity {
        Objects.requireNonNull(name, "name");
        if (method.isBlank()) {
            throw new IllegalArgumentException("method is blank; say how the identity was proved, as in \"bearer\"");
        }
    }

    /** Whether it says who it is. */
    public boolean isNamed() {
        return !name.isEmpty();
    }

    /** As log records have it: {@code bearer:deploy}, or {@code bearer} if it names nobody. */
    @Override
    public String toString() {
        return isNamed() ? method + ":" + name : method;
    }
}
