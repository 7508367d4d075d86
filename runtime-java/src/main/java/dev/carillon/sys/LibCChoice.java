package dev.carillon.sys;

import dev.carillon.Availability;
import dev.carillon.sys.layout.Architecture;
import org.jspecify.annotations.Nullable;

/**
 * Which library makes the calls; it was tried.
 *
 * <p>Where all goes well no string is put together here: the first one costs a starting VM milliseconds.
 */
final class LibCChoice {
    static final String PROPERTY = "carillon.libc";
    static final String SUBJECT = "LibC";
    private static final int FIRST_JDK_WITH_FFM = 22;

    final @Nullable LibC libc;
    final String reason;
    final Availability availability;

    private LibCChoice(LibC libc, String reason) {
        this.libc = libc;
        this.reason = reason;
        availability = Availability.available(SUBJECT);
    }

    private LibCChoice(RuntimeException failure) {
        libc = null;
        reason = "none: " + failure.getMessage();
        availability = Availability.unavailable(SUBJECT, failure);
    }

    /**
     * That of this process, which may be none.
     *
     * @throws OutOfMemoryError if there is no memory to find out; nothing is decided then
     * @throws StackOverflowError if there is no stack to find out
     */
    static LibCChoice ofThisProcess() {
        try {
            return choose(System.getProperty(PROPERTY), Runtime.version().feature());
        } catch (RuntimeException | LinkageError e) {
            LibCFailure.throwIfForNow(e);
            return new LibCChoice(e instanceof IllegalArgumentException wrong ? wrong : LibCFailure.of(e));
        }
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
            case "jna" -> new LibCChoice(tried(jna()), "jna: forced by -Dcarillon.libc=jna");
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
            return new LibCChoice(tried(jna()), "jna: this JDK is older than 22");
        }
        try {
            return new LibCChoice(tried(FfmLibC.create()), "ffm: this JDK has java.lang.foreign");
        } catch (RuntimeException | LinkageError foreign) {
            LibCFailure.throwIfForNow(foreign);
            try {
                return new LibCChoice(tried(jna()), "jna: java.lang.foreign failed: " + foreign.getMessage());
            } catch (NoRoomException none) {
                throw none;
            } catch (RuntimeException | LinkageError jna) {
                jna.addSuppressed(foreign);
                throw jna;
            }
        }
    }

    private static LibC jna() {
        FreeThreads.ensure();
        return JnaLibC.create();
    }

    /** Links and makes a call that cannot fail, so that a library that cannot work is found here. */
    private static LibC tried(LibC libc) {
        if (libc.getpid() <= 0) {
            throw new IllegalStateException("getpid=" + libc.getpid() + " through " + libc);
        }
        return libc;
    }
}
