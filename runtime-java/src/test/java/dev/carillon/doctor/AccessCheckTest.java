package dev.carillon.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.doctor.Check.Level;
import org.junit.jupiter.api.Test;

class AccessCheckTest {
    private static final String DENY = "--illegal-native-access=deny";

    @Test
    void thisProgramWasStartedWithNativeAccess() {
        Check check = AccessCheck.run(AccessCheck.isEnabled());
        assertEquals(Level.OK, check.level(), check::toString);
    }

    @Test
    void beforeJdk24NobodyIsAsked() {
        assertEquals(Level.OK, AccessCheck.of(21, false, false).level());
    }

    @Test
    void whatTheVmWarnsOfIsANoteThatSaysWhatDenyDoes() {
        Check check = AccessCheck.of(24, false, false);
        assertEquals(Level.NOTE, check.level());
        assertTrue(String.valueOf(check.advice()).contains(DENY + " nothing of Carillon works"), check::toString);
        assertTrue(String.valueOf(check.advice()).contains("--enable-native-access=ALL-UNNAMED"), check::toString);
    }

    @Test
    void deniedAccessIsAProblem() {
        Check check = AccessCheck.of(24, false, true);
        assertEquals(Level.PROBLEM, check.level());
        assertTrue(check.found().contains(DENY), check::toString);
    }
}
