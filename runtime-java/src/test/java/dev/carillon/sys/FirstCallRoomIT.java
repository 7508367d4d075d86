package dev.carillon.sys;

import dev.carillon.sys.call.Sys;
import dev.carillon.test.Ballast;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Jdk;
import dev.carillon.test.LoadedClasses;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The first call of a process that comes while there is no stack, or no heap. */
final class FirstCallRoomIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    static Stream<Arguments> librariesAndJdks() {
        return Stream.concat(Stream.of(Jdk.current()), Jdk.second().stream())
                .flatMap(jdk -> Stream.of("jna", "ffm")
                        .filter(library -> library.equals("jna") || jdk.hasForeignMemory())
                        .map(library -> Arguments.of(library, jdk)));
    }

    // r[verify sys.first-call]
    @ParameterizedTest
    @MethodSource("librariesAndJdks")
    void aFirstCallAtTheEndOfTheStackFailsAndIsMadeWhereThereIsSome(String library, Jdk jdk) {
        ChildJvm.of(Deep.class)
                .jdk(jdk)
                .vmFlags("-Dcarillon.libc=" + library)
                .run(LIMIT)
                .assertPrintedOnly("refused true, otherwise null, called true");
    }

    // r[verify sys.first-call]
    @ParameterizedTest
    @MethodSource("librariesAndJdks")
    void aFirstCallInAFullHeapFailsAndIsMadeWhenThereIsMemory(String library, Jdk jdk) {
        ChildJvm.of(Full.class)
                .jdk(jdk)
                .vmFlags("-Dcarillon.libc=" + library, "-Xmx24m", "-XX:+UseSerialGC", "-XX:-UseGCOverheadLimit")
                .run(LIMIT)
                .assertPrintedOnly("refused true, otherwise null, called true");
    }

    /** Calls where the stack overflows, and one frame above, and so on, until it succeeds. */
    static final class Deep {
        private static boolean refused;
        private static boolean called;
        private static @Nullable String otherwise;

        private Deep() {}

        public static void main(String[] args) throws Exception {
            LoadedClasses.of(FirstCallRoomIT.class, LibC.class);
            deeper(0);
            System.out.println("refused " + refused + ", otherwise " + otherwise + ", called " + called);
        }

        private static void deeper(int depth) {
            try {
                if (depth < Integer.MAX_VALUE) {
                    deeper(depth + 1);
                }
            } catch (StackOverflowError end) {
                // Here it ends.
            }
            if (!called && otherwise == null) {
                try {
                    called = Sys.get().processes().pid() > 0;
                } catch (StackOverflowError noRoom) {
                    refused = true;
                } catch (RuntimeException | Error other) {
                    otherwise = other.toString();
                }
            }
        }
    }

    /** Fills the heap, and frees a little between one call and the next. */
    static final class Full {
        private Full() {}

        public static void main(String[] args) throws Exception {
            LoadedClasses.of(FirstCallRoomIT.class, LibC.class);
            Object[] taken = new Object[400_000];
            Ballast.fill(taken);
            boolean refused = false;
            boolean called = false;
            String otherwise = null;
            int last = taken.length - 1;
            while (taken[last] == null) {
                last--;
            }
            for (; last >= 0 && !called && otherwise == null; last--) {
                try {
                    called = Sys.get().processes().pid() > 0;
                } catch (OutOfMemoryError full) {
                    refused = true;
                } catch (RuntimeException | Error other) {
                    otherwise = other.toString();
                }
                taken[last] = null;
            }
            Arrays.fill(taken, null);
            System.out.println("refused " + refused + ", otherwise " + otherwise + ", called " + called);
        }
    }
}
