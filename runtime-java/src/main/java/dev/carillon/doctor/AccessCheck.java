package dev.carillon.doctor;

import dev.carillon.sys.LibC;

/** Whether the VM lets this program call C, and later JDKs will, too: from JDK 24 on that needs a flag. */
final class AccessCheck {
    private static final String NAME = "native-access";
    private static final int FIRST_JDK_THAT_WARNS = 24;
    private static final String DENY = "--illegal-native-access=deny";
    private static final String ENABLE = LibC.enablingOption();

    private AccessCheck() {}

    /**
     * Says what the VM allows.
     *
     * @param enabled what {@link #isEnabled} said before the first native call
     */
    static Check run(boolean enabled) {
        Runtime.Version jdk = Runtime.version();
        return of(jdk.feature(), enabled, LibC.choice().contains(DENY));
    }

    static Check of(int jdk, boolean enabled, boolean denied) {
        if (jdk < FIRST_JDK_THAT_WARNS) {
            return Check.ok(NAME, "not asked for before JDK " + FIRST_JDK_THAT_WARNS);
        }
        if (enabled) {
            return Check.ok(NAME, "enabled");
        }
        return denied
                ? Check.problem(NAME, DENY + " keeps native calls from being made", "Start with " + ENABLE + ".")
                : Check.note(
                        NAME,
                        "not enabled",
                        "The VM warns, and with " + DENY + " nothing of Carillon works: start with " + ENABLE + ".");
    }

    /**
     * Module.isNativeAccessEnabled, which JDK 22 brought. Only a call before the first native call gets the true answer: the
     * VM warns at that one, and says "enabled" from then on.
     */
    static boolean isEnabled() {
        try {
            return Boolean.TRUE.equals(
                    Module.class.getMethod("isNativeAccessEnabled").invoke(LibC.class.getModule()));
        } catch (ReflectiveOperationException olderJdk) {
            return true;
        }
    }
}
