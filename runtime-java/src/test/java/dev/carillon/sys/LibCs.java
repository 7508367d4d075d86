package dev.carillon.sys;

import org.junit.jupiter.api.Assumptions;

/** The two implementations, made directly, so that one VM tests both. */
public final class LibCs {
    private LibCs() {}

    public static LibC jna() {
        return JnaLibC.create();
    }

    /** Skips the test where the JDK has no java.lang.foreign. */
    public static LibC ffm() {
        int jdk = Runtime.version().feature();
        Assumptions.assumeTrue(jdk >= 22, () -> "java.lang.foreign needs JDK 22 or later, this is JDK " + jdk);
        return FfmLibC.create();
    }
}
