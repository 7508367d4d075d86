package dev.carillon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class AvailabilityTest {
    @Test
    void whatIsAvailableHasNoCause() {
        Availability bells = Availability.available("bells");
        assertTrue(bells.isAvailable());
        assertNull(bells.unavailabilityCause());
        bells.ensureAvailability();
        assertEquals("bells is available", bells.toString());
        assertEquals("bells", bells.subject());
    }

    @Test
    void whatIsNotAvailableSaysWhyEveryTime() {
        Exception cause = new IllegalStateException("no tower");
        Availability bells = Availability.unavailable("bells", cause);
        assertFalse(bells.isAvailable());
        assertSame(cause, bells.unavailabilityCause());
        for (int i = 0; i < 2; i++) {
            UnsupportedOperationException e =
                    assertThrows(UnsupportedOperationException.class, bells::ensureAvailability);
            assertEquals("bells is not available: no tower", e.getMessage());
            assertSame(cause, e.getCause());
        }
    }

    @Test
    void aCauseWithoutAMessageIsStillNamed() {
        Availability bells = Availability.unavailable("bells", new UnsatisfiedLinkError());
        assertEquals("bells is not available: java.lang.UnsatisfiedLinkError", bells.toString());
    }
}
