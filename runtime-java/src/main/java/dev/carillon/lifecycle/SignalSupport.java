package dev.carillon.lifecycle;

import java.util.Locale;

/** How a platform delivers a signal. */
public enum SignalSupport {
    /** By itself. */
    NATIVE,
    /** As an event of the console, which stands for the signal. */
    MAPPED,
    /** Not at all; the signal can still come over HTTP. */
    UNSUPPORTED;

    /** As the catalog writes it. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }
}
