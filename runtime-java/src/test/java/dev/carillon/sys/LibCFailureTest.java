package dev.carillon.sys;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What is said where a library could not be loaded. */
// r[verify sys.first-call]
final class LibCFailureTest {
    @Test
    void aClassThatTheVmDoesNotInitializeAgainNeedsANewProcess() {
        Throwable poisoned = new NoClassDefFoundError("Could not initialize class com.sun.jna.Native");
        String message = String.valueOf(LibCFailure.of(poisoned).getMessage());
        assertTrue(message.contains("start this process anew"), message);
        assertFalse(message.contains("class path"), message);
        assertDoesNotThrow(() -> LibCFailure.throwIfForNow(poisoned));
    }

    @Test
    void wantOfMemoryIsNoAnswer() {
        OutOfMemoryError full = new OutOfMemoryError("full");
        Throwable wrapped = new ExceptionInInitializerError(new IllegalStateException("wraps", full));
        assertSame(full, assertThrows(OutOfMemoryError.class, () -> LibCFailure.throwIfForNow(wrapped)));
    }
}
