package dev.carillon.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.doctor.CarillonDoctor;
import dev.carillon.io.Inotify;
import dev.carillon.loop.EventLoop;
import dev.carillon.memory.Access;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.process.Spawn;
import dev.carillon.signal.SignalService;
import dev.carillon.signal.Signals;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Jdk;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where there is no native part, every call says so, each time, in the same words. */
// r[verify sys.no-native]
final class NoNativePartIT {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private static void assertSays(ChildExit exit, String... parts) {
        assertEquals(1, exit.stdout().size(), exit::toString);
        String line = exit.stdout().get(0);
        for (String part : parts) {
            assertTrue(line.contains(part), () -> part + " is not in " + exit);
        }
        assertEquals(0, exit.code(), exit::toString);
    }

    private static ChildExit exitOf(ChildJvm vm) {
        return vm.run(LIMIT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Dos.arch=riscv64", "-Dos.name=FreeBSD", "-Dcarillon.libc=foo"})
    void onAnUnknownMachineEachCallFailsInTheSameWords(String flag) {
        ChildExit exit = exitOf(ChildJvm.of(Calls.class).vmFlags(flag));
        assertSays(exit, "LibC is not available: ", flag.substring(flag.indexOf('=') + 1));
    }

    @Test
    void withoutJnaItIsSaidHowToGetIt() {
        List<String> command = new ArrayList<>(
                ChildJvm.of(Calls.class).vmFlags("-Dcarillon.libc=jna").command());
        int classPath = command.indexOf("-cp") + 1;
        command.set(
                classPath,
                Arrays.stream(command.get(classPath).split(File.pathSeparator, -1))
                        .filter(entry ->
                                !Path.of(entry).getFileName().toString().startsWith("jna"))
                        .collect(Collectors.joining(File.pathSeparator)));
        try (ChildProcess child =
                ChildCommand.of(command.toArray(String[]::new)).start()) {
            assertSays(child.awaitExit(LIMIT), "JNA is not on the class path", "add net.java.dev.jna:jna-jpms");
        }
    }

    @Test
    void aFolderWithoutExecIsNamedAndTheDoctorSeesIt() {
        Assumptions.assumeTrue(
                dev.carillon.sys.call.Sys.get().processes().uid() == 0, "only root can mount a folder without exec");
        ChildJvm calls = withoutExec(ChildJvm.of(Calls.class));
        assertSays(exitOf(calls), folder.toString(), "noexec", "-Djna.tmpdir");
        ChildExit doctor = exitOf(withoutExec(ChildJvm.of(CarillonDoctor.class)));
        assertEquals(1, doctor.code(), doctor::toString);
        assertTrue(
                doctor.stdout().stream().anyMatch(line -> line.startsWith("PROBLEM  tmp ") && line.contains("noexec")),
                doctor::toString);
    }

    private ChildJvm withoutExec(ChildJvm vm) {
        String mount = "mount -t tmpfs -o noexec tmpfs " + folder + " && exec \"$@\"";
        return vm.vmFlags("-Dcarillon.libc=jna", "-Djna.tmpdir=" + folder)
                .prefix("unshare", "--mount", "sh", "-c", mount, "sh");
    }

    @Test
    void deniedNativeAccessIsSaidWithItsRemedy() {
        Jdk jdk = Jdk.second().orElse(Jdk.current());
        Assumptions.assumeTrue(jdk.feature() >= 24, "native access is denied from JDK 24 on");
        List<String> command = new ArrayList<>(ChildJvm.of(Calls.class)
                .jdk(jdk)
                .vmFlags("--illegal-native-access=deny")
                .command());
        command.remove("--enable-native-access=ALL-UNNAMED");
        try (ChildProcess child =
                ChildCommand.of(command.toArray(String[]::new)).start()) {
            assertSays(child.awaitExit(LIMIT), "--enable-native-access=ALL-UNNAMED");
        }
    }

    /** Each room is called twice; prints the one answer of all. */
    static final class Calls {
        private Calls() {}

        public static void main(String[] args) {
            Map<String, String> answers = new LinkedHashMap<>();
            for (int round = 0; round < 2; round++) {
                call(answers, "shared", EventLoop::shared);
                call(answers, "open", EventLoop::open);
                call(answers, "spawn", () -> Spawn.command("true").start());
                call(answers, "anonymous", () -> MemoryRegion.anonymous(4_096));
                call(answers, "file", () -> MemoryRegion.openFile(Path.of("x"), Access.READ_ONLY));
                call(answers, "signals", SignalService::shared);
                call(answers, "send", () -> Signals.send(1, Signal.SIGCONT));
                call(answers, "inotify", Inotify::open);
            }
            answers.forEach((answer, who) -> System.out.println(answer + " <- " + who));
        }

        private static void call(Map<String, String> answers, String name, Callable<Object> call) {
            String answer;
            try {
                answer = name + " returned " + call.call();
            } catch (UnsupportedOperationException expected) {
                answer = String.valueOf(expected.getMessage());
            } catch (Exception | Error other) {
                answer = other.toString();
            }
            answers.merge(answer, name, (a, b) -> a + " " + b);
        }
    }
}
