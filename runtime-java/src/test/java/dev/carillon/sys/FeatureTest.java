package dev.carillon.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Availability;
import dev.carillon.test.Jdk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

// r[verify sys.probe]
final class FeatureTest {
    @ParameterizedTest
    @EnumSource(Feature.class)
    void aFeatureIsTriedOnceAndEitherThereOrToldWhyNot(Feature feature) {
        Availability availability = feature.availability();
        System.out.println(availability);
        assertSame(availability, feature.availability());
        assertEquals(feature.label(), availability.subject());
        assertTrue(availability.isAvailable() || availability.toString().contains("failed: "));
        assertFalse(feature.since().isBlank());
        assertFalse(feature.otherwise().isBlank());
    }

    @ParameterizedTest
    @EnumSource(Feature.class)
    void bothLibrariesFindTheSame(Feature feature) {
        boolean expected = feature.availability().isAvailable();
        assertEquals(expected, feature.probe(LibCs.jna(), "").isAvailable());
        if (Jdk.current().hasForeignMemory()) {
            assertEquals(expected, feature.probe(LibCs.ffm(), "").isAvailable());
        }
    }

    @Test
    void thePropertyTakesExactlyTheNamedFeaturesAway() {
        Availability gone = Feature.OPENAT2.probe(LibC.get(), "io_uring,openat2");
        assertEquals("openat2 is not available: taken away by -Dcarillon.without=io_uring,openat2", gone.toString());
        assertTrue(Feature.EVENTFD.probe(LibC.get(), "io_uring,openat2").isAvailable());
    }
}
