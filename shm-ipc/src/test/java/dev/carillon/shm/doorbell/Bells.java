package dev.carillon.shm.doorbell;

import java.time.Duration;

/** What tests of doorbells share. */
final class Bells {
    static final Duration LIMIT = Duration.ofSeconds(30);

    private Bells() {}
}
