package dev.carillon.test;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.proc.SignalState;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildJvmIT {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration LONGER_THAN_A_TEST_MAY_TAKE = Duration.ofHours(1);
    private static final Duration TOO_SHORT = Duration.ofMillis(300);
    private static final int USR1 = 10;
    private static final int NOBODY = 65534;

    @Test
    void exitCodeAndLinesOfBothStreamsAreGiven() {
        ChildExit exit = ChildJvm.of(Talker.class).args("7").run(SOON);
        assertEquals(7, exit.code());
        exit.assertPrintedOnly("args [7]", "checks true", "grüße");
        assertEquals(List.of("last words"), exit.stderr());
        assertEquals(OptionalInt.empty(), exit.signal());
    }

    @Test
    void nothingButItsOwnLinesOnTheSecondJdk() {
        Optional<Jdk> second = Jdk.second();
        Assumptions.assumeTrue(second.isPresent(), "no JDK from 22 on is installed");
        ChildExit exit = ChildJvm.of(Talker.class).jdk(second.orElseThrow()).run(SOON);
        exit.assertPrintedOnly("args []", "checks true", "grüße");
        assertEquals(List.of("last words"), exit.stderr());
    }

    @Test
    void aKilledChildTellsItsSignal() {
        try (ChildProcess child = ChildJvm.of(Echo.class).start()) {
            child.awaitLine("ready", SOON);
            child.send("KILL");
            ChildExit exit = child.awaitExit(SOON);
            assertEquals(137, exit.code());
            assertEquals(OptionalInt.of(9), exit.signal());
        }
    }

    @Test
    void aChildThatIsClosedTwiceIsClosedOnce() {
        ChildProcess child = ChildJvm.of(Echo.class).start();
        child.close();
        assertDoesNotThrow(child::close);
    }

    @Test
    void linesGoInAndComeOut() {
        try (ChildProcess child = ChildJvm.of(Echo.class).start()) {
            child.awaitLine("ready", SOON);
            child.writeLine("one");
            child.writeLine("two");
            assertEquals("echo two", child.awaitLine(Pattern.compile("o$"), SOON));
            assertEquals("echo one", child.awaitLine("echo", SOON), "the other line is taken");
        }
    }

    @Test
    void aSignalIgnoredFromOutsideStaysIgnored() {
        try (ChildProcess child = ChildJvm.of(Echo.class).ignoreSignals("TERM").start()) {
            child.awaitLine("ready", SOON);
            child.send("TERM");
            child.writeLine("still here");
            child.awaitLine("echo still here", SOON);
            assertEquals(
                    "ignored",
                    SignalState.read("/proc/" + child.pid()).orElseThrow().disposition(15));
        }
    }

    @Test
    void aSignalBlockedFromOutsideIsBlockedInTheVm() {
        try (ChildProcess child = ChildJvm.of(Echo.class).blockSignals("USR1").start()) {
            child.awaitLine("ready", SOON);
            // For the moment in which a thread makes another one it blocks all.
            Deadline.after(SOON).await("USR2 is not blocked", () -> !SignalState.has(blocked(child), USR1 + 2));
            assertTrue(SignalState.has(blocked(child), USR1));
        }
    }

    private static long blocked(ChildProcess child) {
        return SignalState.read("/proc/" + child.pid()).orElseThrow().blocked();
    }

    @Test
    void behindAPrefixThePidIsThatOfTheVm() {
        try (ChildProcess child = ChildJvm.of(Echo.class)
                .prefix("unshare", "--mount", "--fork", "nohup")
                .start()) {
            String line = child.awaitLine("ready", SOON);
            assertEquals("ready " + child.pid(), line);
        }
    }

    @Test
    void anotherUserCanRunTheTestsClasses() {
        String me = System.getProperty("user.name");
        Assumptions.assumeTrue("root".equals(me), "only root may change the user, and this is " + me);
        try (ChildProcess child = ChildJvm.of(Echo.class).user(NOBODY, NOBODY).start()) {
            child.awaitLine("ready", SOON);
            child.writeLine("id");
            child.awaitLine("echo id", SOON);
            String owner =
                    ProcessHandle.of(child.pid()).orElseThrow().info().user().orElse("unknown");
            assertEquals("nobody", owner);
        }
    }

    @Test
    void anotherUserReadsAClassPathThatIsClosedToOthers(@TempDir Path closed) throws IOException {
        String me = System.getProperty("user.name");
        Assumptions.assumeTrue("root".equals(me), "only root may change the user, and this is " + me);
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
        Files.writeString(Files.createDirectory(closed.resolve("inner")).resolve("note.txt"), "found");
        try (ChildProcess child = ChildJvm.of(ReadsNote.class)
                .classPath(closed)
                .user(NOBODY, NOBODY)
                .start()) {
            assertEquals(List.of("found"), child.awaitExit(SOON).stdout());
        }
    }

    @Test
    void whatAChildLeavesInItsTemporaryFolderGoesWithIt() {
        Path left;
        try (ChildProcess child = ChildJvm.of(Untidy.class).start()) {
            left = Path.of(child.awaitLine("left ", SOON).substring("left ".length()));
            assertTrue(Files.exists(left));
            child.send("KILL");
        }
        assertFalse(Files.exists(left));
        assertFalse(Files.exists(left.getParent()));
    }

    @Test
    void aJarRunsOnItsOwnClassPath(@TempDir Path folder) throws IOException {
        Path jar = folder.resolve("talker.jar");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, Talker.class.getName());
        String resource = Talker.class.getName().replace('.', '/') + ".class";
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
                InputStream code = Objects.requireNonNull(Talker.class.getResourceAsStream("/" + resource))) {
            out.putNextEntry(new JarEntry(resource));
            code.transferTo(out);
        }
        try (ChildProcess child = ChildJvm.jar(jar).args("5").start()) {
            assertEquals(5, child.awaitExit(SOON).code());
        }
    }

    @Test
    void aHangShowsTheChildsOutputAndThreads() {
        try (ChildProcess child = ChildJvm.of(Echo.class).start()) {
            child.awaitLine("ready", SOON);
            AssertionError failure = assertThrows(AssertionError.class, () -> child.awaitLine("never", TOO_SHORT));
            assertTrue(failure.toString().contains("\nready "), failure.toString());
            assertTrue(failure.toString().contains("at " + Echo.class.getName() + ".main"), failure.toString());
        }
    }

    @Test
    void aChildThatEndsTooEarlyIsReportedAtOnce() {
        try (ChildProcess child = ChildJvm.of(Talker.class).args("3").start()) {
            AssertionError failure =
                    assertThrows(AssertionError.class, () -> child.awaitLine("never", LONGER_THAN_A_TEST_MAY_TAKE));
            assertTrue(failure.toString().contains("exit code 3"), failure.toString());
            assertTrue(failure.toString().contains("last words"), failure.toString());
        }
    }

    static final class Talker {
        public static void main(String[] args) {
            System.out.println("args " + List.of(args));
            System.out.println("checks " + System.getProperty("carillon.checks"));
            System.out.println("grüße");
            System.err.print("last words");
            System.exit(args.length == 0 ? 0 : Integer.parseInt(args[0]));
        }
    }

    static final class Untidy {
        public static void main(String[] args) throws IOException {
            System.out.println("left " + Files.createTempFile("left", ".here"));
            System.in.read();
        }
    }

    static final class ReadsNote {
        public static void main(String[] args) throws IOException {
            try (InputStream note = Objects.requireNonNull(ReadsNote.class.getResourceAsStream("/inner/note.txt"))) {
                System.out.println(new String(note.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
    }

    static final class Echo {
        public static void main(String[] args) throws IOException {
            System.out.println("ready " + ProcessHandle.current().pid());
            BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                System.out.println("echo " + line);
            }
        }
    }
}
