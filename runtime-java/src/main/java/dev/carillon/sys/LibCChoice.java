package dev.carillon.sys;

import dev.carillon.Availability;
import dev.carillon.sys.layout.Architecture;
import org.jspecify.annotations.Nullable;

/**
 * Decides once which library makes the calls, and tries it.
 *
 * <p>Where all goes well no string is put together here: the first one costs a starting VM milliseconds.
 */
final class LibCChoice {
    static final String PROPERTY = "carillon.libc";
    static final Availability AVAILABILITY;
    static final String REASON;
    private static final String SUBJECT = "LibC";
    private static final int FIRST_JDK_WITH_FFM = 22;
    private static final @Nullable LibC LIBC;

    static {
        LibC libc = null;
        String reason;
        Availability availability;
        try {
            LibCChoice choice =
                    choose(System.getProperty(PROPERTY), Runtime.version().feature());
            libc = choice.libc;
            reason = choice.reason;
            availability = Availability.available(SUBJECT);
        } catch (RuntimeException | LinkageError e) {
            RuntimeException failure = e instanceof IllegalArgumentException wrong ? wrong : LibCFailure.of(e);
            reason = "none: " + failure.getMessage();
            availability = Availability.unavailable(SUBJECT, failure);
        }
        LIBC = libc;
        REASON = reason;
        AVAILABILITY = availability;
    }

    private final LibC libc;
    private final String reason;

    private LibCChoice(LibC libc, String reason) {
        this.libc = libc;
        this.reason = reason;
    }

    /** Only to be asked when available. */
    static LibC libc() {
        LibC libc = LIBC;
        if (libc == null) {
            throw new IllegalStateException(REASON);
        }
        return libc;
    }

    String reason() {
        return reason;
    }

    // r[impl sys.choice]
    static LibCChoice choose(@Nullable String forced, int jdk) {
        if (!Architecture.isKnown()) {
            throw LibCFailure.unknownMachine();
        }
        if (forced == null) {
            return byDefault(jdk);
        }
        return switch (forced) {
            case "jna" -> new LibCChoice(tried(JnaLibC.create()), "jna: forced by -Dcarillon.libc=jna");
            case "ffm" -> {
                if (jdk < FIRST_JDK_WITH_FFM) {
                    throw new IllegalArgumentException("-D" + PROPERTY + "=ffm needs JDK " + FIRST_JDK_WITH_FFM
                            + " or later, this is JDK " + jdk + "; leave the property out or set it to jna");
                }
                yield new LibCChoice(tried(FfmLibC.create()), "ffm: forced by -Dcarillon.libc=ffm");
            }
            default ->
                throw new IllegalArgumentException(
                        "-D" + PROPERTY + "=" + forced + " is unknown; allowed are jna and ffm, or leave it out");
        };
    }

    private static LibCChoice byDefault(int jdk) {
        if (jdk < FIRST_JDK_WITH_FFM) {
            return new LibCChoice(tried(JnaLibC.create()), "jna: this JDK is older than 22");
        }
        try {
            return new LibCChoice(tried(FfmLibC.create()), "ffm: this JDK has java.lang.foreign");
        } catch (RuntimeException | LinkageError foreign) {
            try {
                return new LibCChoice(
                        tried(JnaLibC.create()), "jna: java.lang.foreign failed: " + foreign.getMessage());
            } catch (RuntimeException | LinkageError jna) {
                jna.addSuppressed(foreign);
                throw jna;
            }
        }
    }

    /** Links and makes a call that cannot fail, so that a library that cannot work is found here. */
    private static LibC tried(LibC libc) {
        if (libc.getpid() <= 0) {
            throw new IllegalStateException("getpid=" + libc.getpid() + " through " + libc);
        }
        return libc;
    }
}
