package dev.carillon.guards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher where nothing has to be built: its words, and what it says of a machine without a fitting JDK. */
class LauncherIT {
    private static final Path LAUNCHER = Path.of(System.getProperty("carillon.root", ".."))
            .resolve("carillon")
            .toAbsolutePath();

    /** A name with a letter that ASCII does not have, as a word of the shell. */
    private static final String BEYOND_ASCII = "../\"$(printf 'gr\\303\\274n')\"";

    /** A program, compiled as Maven would do it. */
    private static final String HELLO = """
            #!/bin/sh
            mkdir -p classes source
            echo 'package dev.carillon.samples; class Hello {
              public static void main(String[] a) { System.out.println("hello"); }
            }' > source/Hello.java
            export PATH="$JAVA_HOME/bin:$PATH"
            javac -d classes source/Hello.java || exit 1
            """;

    @TempDir
    private Path folder;

    @Test
    void helpNamesEveryCommandFromAnyFolder() {
        ChildExit exit = run(launcher("help"));
        assertEquals(0, exit.code());
        for (String command : new String[] {"doctor", "signals", "shm", "demo", "sample", "bench", "help"}) {
            assertTrue(
                    exit.stdout().stream().anyMatch(l -> l.startsWith("  " + command)), () -> command + exit.stdout());
        }
    }

    @Test
    void anUnknownCommandFailsAndShowsWhatThereIs() {
        ChildExit exit = run(launcher("dance"));
        assertEquals(1, exit.code());
        assertSays(exit, "Unknown command 'dance'");
        assertSays(exit, "Usage: ./carillon COMMAND");
    }

    @Test
    void signalsAndItsOptionsGoToTheProgramThatListsThem() {
        Checkout checkout = Checkout.in(folder);
        ChildExit exit = run(checkout.launcher("signals", "--json"));
        assertEquals(0, exit.code(), exit::toString);
        var arguments = Checkout.arguments(exit);
        assertEquals(
                List.of("dev.carillon.doctor.CarillonDoctor", "signals", "--json"),
                arguments.subList(arguments.size() - 3, arguments.size()));
    }

    @Test
    void shmAndItsWordsGoToTheProgramThatShowsLinks() {
        Checkout checkout = Checkout.in(folder);
        ChildExit exit = run(checkout.launcher("shm", "/dev/shm/a host", "--watch"));
        assertEquals(0, exit.code(), exit::toString);
        var arguments = Checkout.arguments(exit);
        assertEquals(
                List.of("dev.carillon.shm.inspect.CarillonShm", "/dev/shm/a host", "--watch"),
                arguments.subList(arguments.size() - 3, arguments.size()));
    }

    @Test
    void aWrongJavaHomeIsNamed() {
        ChildExit exit = run(launcher("doctor").environment("JAVA_HOME", folder.toString()));
        assertEquals(1, exit.code());
        assertSays(exit, "JAVA_HOME is " + folder + ", but there is no bin/java in it");
    }

    @Test
    void aMachineWithoutJavaIsToldWhatToInstall() {
        ChildExit exit = run(launcher("doctor").withoutEnvironment("JAVA_HOME").environment("PATH", tools()));
        assertEquals(1, exit.code());
        assertSays(exit, "No java found. Carillon needs a JDK 17 or newer");
    }

    @Test
    void aJdkThatIsTooOldIsNamedWithItsVersion() throws IOException {
        Path java = Files.createDirectory(folder.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n");
        assertTrue(java.toFile().setExecutable(true));
        ChildExit exit = run(launcher("doctor").environment("JAVA_HOME", folder.toString()));
        assertEquals(1, exit.code());
        assertSays(exit, "is version 11.0.2; Carillon needs a JDK 17 or newer");
    }

    @Test
    void anUnknownSampleIsAnsweredWithTheListOfThose() {
        ChildExit exit = run(launcher("sample", "no-such-sample"));
        assertEquals(1, exit.code());
        assertSays(exit, "There is no sample named 'no-such-sample'");
        assertSays(exit, "shared-counter");
    }

    @Test
    void theVersionIsFoundAlsoWhenTheVmFirstTellsOptionsWithQuotes() {
        Checkout checkout = Checkout.in(folder);
        checkout.java("""
                #!/bin/sh
                [ -z "$JAVA_TOOL_OPTIONS" ] || echo "Picked up JAVA_TOOL_OPTIONS: $JAVA_TOOL_OPTIONS" >&2
                case "$*" in
                  -version) echo 'openjdk version "21.0.2" 2024-01-16' >&2 ;;
                  *) echo "runs with $JAVA_TOOL_OPTIONS" ;;
                esac
                """);
        assertTrue(checkout.tools().resolve("jdk/release").toFile().delete());
        ChildExit exit = run(checkout.launcher("doctor").environment("JAVA_TOOL_OPTIONS", "-Da=\"1 2\" -Db=\"3\""));
        assertEquals(0, exit.code(), exit::toString);
        assertEquals("runs with -Da=\"1 2\" -Db=\"3\"", exit.stdout().get(0));
    }

    @Test
    void optionsForTheVmAreSplitAtBlanksAndNotReplacedByFiles() {
        Checkout checkout = Checkout.in(folder);
        ChildExit exit = run(checkout.launcher("doctor").environment("JAVA_OPTS", " -Da=1  * "));
        assertEquals(0, exit.code(), exit::toString);
        var arguments = Checkout.arguments(exit);
        assertEquals(List.of("-Da=1", "*"), arguments.subList(arguments.size() - 3, arguments.size() - 1));
    }

    /** The shell knows the folder, as this VM may have a locale in which it can't name it. */
    @Test
    void aCheckoutWithLettersBeyondAsciiRunsInEachLocale() {
        Checkout checkout = Checkout.in(folder);
        checkout.maven(HELLO + Checkout.succeeds() + """
                jar --create --file samples/target/carillon-samples-0.jar -C classes .
                """);
        assertEquals(
                0,
                run(checkout.command("sh", "-c", "mv ../checkout " + BEYOND_ASCII))
                        .code());
        for (String locale : new String[] {"C", "C.UTF-8"}) {
            ChildExit exit = run(checkout.command("sh", "-c", BEYOND_ASCII + "/carillon sample hello")
                    .environment("LC_ALL", locale)
                    .environment("JAVA_HOME", System.getProperty("java.home")));
            assertEquals(List.of("hello"), exit.stdout(), exit::toString);
            assertEquals(0, exit.code(), exit::toString);
        }
        assertEquals(
                0, run(checkout.command("sh", "-c", "rm -r " + BEYOND_ASCII)).code());
    }

    private ChildCommand launcher(String... words) {
        String[] command =
                Stream.concat(Stream.of(LAUNCHER.toString()), Stream.of(words)).toArray(String[]::new);
        return ChildCommand.of(command).workingDirectory(folder);
    }

    /** A PATH on which everything is that the launcher needs, but no java. */
    private String tools() {
        try {
            Path bin = Files.createDirectory(folder.resolve("tools"));
            for (String tool : new String[] {"bash", "readlink", "dirname", "env"}) {
                Files.createSymbolicLink(bin.resolve(tool), Path.of("/usr/bin", tool));
            }
            return bin.toString();
        } catch (IOException e) {
            throw new AssertionError("no folder of tools", e);
        }
    }

    private static ChildExit run(ChildCommand command) {
        try (ChildProcess child = command.start()) {
            return child.awaitExit(Duration.ofSeconds(60));
        }
    }

    private static void assertSays(ChildExit exit, String words) {
        assertTrue(exit.stderr().stream().anyMatch(l -> l.contains(words)), () -> words + ": " + exit.stderr());
    }
}
