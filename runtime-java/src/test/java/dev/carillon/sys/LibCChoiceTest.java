package dev.carillon.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Jdk;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

// r[verify sys.choice]
final class LibCChoiceTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static ChildExit choose(Jdk jdk, String... flags) {
        return ChildJvm.of(PrintChoice.class).jdk(jdk).vmFlags(flags).run(LIMIT);
    }

    private static Jdk jdkWithForeignMemory() {
        Optional<Jdk> second = Jdk.second();
        Assumptions.assumeTrue(second.isPresent(), "there is no JDK with java.lang.foreign on this machine");
        return second.orElseThrow();
    }

    private static Jdk jdkWithoutForeignMemory() {
        Assumptions.assumeFalse(Jdk.current().hasForeignMemory(), "this JDK has java.lang.foreign");
        return Jdk.current();
    }

    @Test
    void aJdkWithForeignMemoryLoadsNoClassOfJna() {
        ChildExit exit = choose(jdkWithForeignMemory(), "-Xlog:class+load");
        assertEquals(0, exit.code(), exit::toString);
        assertTrue(
                exit.stdout().stream().anyMatch(line -> line.equals("ffm: this JDK has java.lang.foreign")),
                exit::toString);
        assertEquals(
                List.of(),
                exit.stdout().stream()
                        .filter(line -> line.contains("com.sun.jna"))
                        .toList());
        assertTrue(exit.stdout().stream().anyMatch(line -> line.contains("dev.carillon.sys.FfmLibC ")));
    }

    @Test
    void jnaIsForcedOnAJdkWithForeignMemory() {
        ChildExit exit = choose(jdkWithForeignMemory(), "-Dcarillon.libc=jna");
        assertEquals(List.of("jna: forced by -Dcarillon.libc=jna", "called"), exit.stdout());
    }

    @Test
    void anOlderJdkTakesJna() {
        ChildExit exit = choose(jdkWithoutForeignMemory());
        assertEquals(List.of("jna: this JDK is older than 22", "called"), exit.stdout());
    }

    /** Its classes are compiled against signatures of our own, and here there is nothing behind those. */
    @Test
    void anOlderJdkLoadsNoClassThatCallsForeignMemory() {
        ChildExit exit = choose(jdkWithoutForeignMemory(), "-Xlog:class+load");
        assertTrue(exit.stdout().contains("called"), exit::toString);
        assertEquals(
                List.of(),
                exit.stdout().stream()
                        .filter(line -> line.contains("java.lang.foreign") || line.contains("dev.carillon.sys.Ffm"))
                        .toList());
    }

    @Test
    void foreignMemoryCannotBeForcedOnAnOlderJdk() {
        ChildExit exit = choose(jdkWithoutForeignMemory(), "-Dcarillon.libc=ffm");
        assertEquals(3, exit.code(), exit::toString);
        assertTrue(
                exit.stdout()
                        .contains("LibC is not available: -Dcarillon.libc=ffm needs JDK 22 or later, this is" + " JDK "
                                + Runtime.version().feature() + "; leave the property out or set it to jna"),
                exit::toString);
    }

    @Test
    void anUnknownLibraryIsAnErrorThatNamesThePropertyAndWhatIsAllowed() {
        ChildExit exit = choose(Jdk.current(), "-Dcarillon.libc=foo");
        assertEquals(3, exit.code(), exit::toString);
        assertTrue(
                exit.stdout()
                        .contains("LibC is not available: -Dcarillon.libc=foo is unknown; allowed are jna"
                                + " and ffm, or leave it out"),
                exit::toString);
    }

    @Test
    void anUnknownMachineIsAnErrorThatSaysWhatIsKnown() {
        ChildExit exit = choose(Jdk.current(), "-Dos.arch=riscv64");
        assertEquals(3, exit.code(), exit::toString);
        assertTrue(exit.stdout().get(1).contains("this is Linux on riscv64; run"), exit::toString);
    }

    @Test
    void aFunctionThatIsNotThereIsNamed() {
        LibCs.ffm();
        UnsatisfiedLinkError e = assertThrows(UnsatisfiedLinkError.class, () -> FfmLinker.bind("no_such_bell"));
        assertEquals("function=no_such_bell is not in this process", e.getMessage());
    }

    /** Prints the choice and makes a call. */
    static final class PrintChoice {
        private PrintChoice() {}

        public static void main(String[] args) {
            System.out.println(LibC.choice());
            try {
                LibC libc = LibC.get();
                if (libc.close(-1) == -Errno.EBADF) {
                    System.out.println("called");
                }
            } catch (UnsupportedOperationException e) {
                System.out.println(e.getMessage());
                System.exit(3);
            }
        }
    }
}
