package dev.carillon.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Jdk;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The environment of a child. */
final class EnvironmentIT extends ChildCase {
    /** One value is UTF-8, one is not, and one name is not ASCII. */
    private static final String EXPORT =
            "exec env \"$(printf 'BELL_UTF=\\303\\244')\" \"$(printf 'BELL_RAW=\\377\\001')\" "
                    + "\"$(printf 'BELL_\\303\\244=x')\" \"$@\"";

    private static final String BELL = "42454c4c5f";
    private static final String RAW = BELL + "5241573dff01";
    private static final String UTF = BELL + "5554463dc3a4";
    private static final String SECRET = "hunter2";

    // r[verify process.environment]
    @Test
    void inheritedVariablesReachTheChildByteForByte() {
        for (Jdk jdk :
                Stream.concat(Stream.of(Jdk.current()), Jdk.second().stream()).toList()) {
            for (String locale : List.of("C", "C.UTF-8")) {
                ChildExit exit = ChildJvm.of(Listing.class)
                        .jdk(jdk)
                        .prefix("sh", "-c", EXPORT, "sh")
                        .environment("LC_ALL", locale)
                        .run(Running.LIMIT);
                assertEquals(0, exit.code(), exit::toString);
                assertEquals(
                        List.of(RAW, UTF, BELL + "c3a43d78", BELL + "4e45573dc3a4", RAW, UTF),
                        exit.stdout(),
                        () -> locale + ": " + exit);
            }
        }
    }

    // r[verify process.environment]
    @Test
    void noValueIsInAnExceptionOrAText() {
        assertSilent(() -> Spawn.command("true").environment("DB_PASSWORD", SECRET + "\0"));
        assertSilent(() -> Spawn.command("true").environment("DB_PASSWORD=" + SECRET, ""));
        Spawn.Builder command = Spawn.command("no-such-bell").environment("DB_PASSWORD", SECRET);
        assertFalse(command.toString().contains(SECRET));
        assertSilent(() -> command.start(loop));
        Spawn.Builder large = Spawn.command("true").environment("DB_PASSWORD", SECRET.repeat(30_000));
        assertSilent(() -> large.start(loop));
    }

    private static void assertSilent(Runnable action) {
        RuntimeException thrown = assertThrows(RuntimeException.class, action::run);
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        assertFalse(text.toString().contains(SECRET), text::toString);
    }

    @Test
    void theNameOfAVariableThatIsWrongIsSaid() {
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class, () -> Spawn.command("true").environment("A=B", "c"));
        assertTrue(String.valueOf(e.getMessage()).startsWith("name=A=...: "), e::toString);
        assertThrows(IllegalArgumentException.class, () -> Spawn.command("true").environment("", "c"));
        IllegalArgumentException nul = assertThrows(
                IllegalArgumentException.class, () -> Spawn.command("true").environment("A", "\0"));
        assertTrue(
                String.valueOf(nul.getMessage()).startsWith("the value of variable A has a NUL in it"), nul::toString);
    }

    /** Lists what children have, in a VM of its own. */
    static final class Listing {
        private Listing() {}

        public static void main(String[] args) {
            // No shell: it would drop a name that is not ASCII.
            Spawn.Builder dump = Spawn.command("od", "-An", "-v", "-tx1", "-w1", "/proc/self/environ");
            try (EventLoop loop = EventLoop.open().start()) {
                print(dump, loop);
                print(dump.withoutEnvironment("BELL_\u00e4").environment("BELL_NEW", "\u00e4"), loop);
            }
        }

        private static void print(Spawn.Builder dump, EventLoop loop) {
            String bytes = String.join("", Running.linesOf(dump, loop)).replace(" ", "");
            Stream.of(bytes.replaceAll("(..)", "$1 ").split(" ?00 "))
                    .map(entry -> entry.replace(" ", ""))
                    .filter(entry -> entry.startsWith(BELL))
                    .sorted()
                    .forEach(System.out::println);
        }
    }
}
