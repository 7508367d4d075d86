package dev.carillon.futex;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ExitStatus;
import dev.carillon.loop.EventLoop;
import dev.carillon.memory.MemoryRegion;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.CProgram;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Jdk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A region that a child has too, under a number that both know. */
abstract class AcrossProcesses {
    static final Duration LIMIT = Duration.ofSeconds(60);
    static final int INHERITED = 3;

    @TempDir
    private Path folder;

    private final EventLoop loop = EventLoop.open();

    /** Empty in the end: JUnit keeps one instance of a class whose tests have parameters until all of them are done. */
    private final Deque<MemoryRegion> regions = new ArrayDeque<>();

    @BeforeEach
    final void startLoop() {
        loop.start();
        regions.push(MemoryRegion.memfd("shared", Turns.SIZE));
    }

    @AfterEach
    final void closeAll() {
        loop.close();
        regions.pop().close();
    }

    final MemoryRegion region() {
        return regions.getFirst();
    }

    /** Which library the other VM uses and how it sleeps, and how this one does. */
    record Pairing(Jdk jdk, String libc, boolean theyPoll, boolean wePoll) {
        WordSleep ours() {
            return wePoll ? new PollingSleep() : new KernelSleep(Sys.get().futexes());
        }

        ChildJvm vm(Class<?> main) {
            ChildJvm vm = ChildJvm.of(main).jdk(jdk).vmFlags("-Dcarillon.libc=" + libc);
            return theyPoll ? vm.vmFlags("-Dcarillon.without=futex") : vm;
        }

        @Override
        public String toString() {
            return "JDK " + jdk.feature() + " " + libc + (theyPoll ? ", they poll" : "") + (wePoll ? ", we poll" : "");
        }
    }

    static List<Pairing> pairings() {
        List<Pairing> pairings = new ArrayList<>();
        Jdk newest = Jdk.second().orElse(Jdk.current());
        Stream.of(new Pairing(Jdk.current(), "jna", false, false), new Pairing(newest, "ffm", false, false))
                .filter(pairing -> !pairing.libc.equals("ffm") || pairing.jdk.hasForeignMemory())
                .forEach(pairing -> {
                    pairings.add(pairing);
                    pairings.add(new Pairing(pairing.jdk, pairing.libc, true, false));
                });
        pairings.add(new Pairing(Jdk.current(), "jna", false, true));
        pairings.add(new Pairing(Jdk.current(), "jna", true, true));
        return pairings;
    }

    final Child start(ChildJvm vm) {
        return start(vm.command());
    }

    final Child startInC(String name, String source, String... arguments) throws Exception {
        List<String> command =
                new ArrayList<>(List.of(CProgram.compile(folder, name, source).toString()));
        command.addAll(List.of(arguments));
        return start(command);
    }

    private Child start(List<String> command) {
        return Spawn.command(command)
                .inherit(region().fd(), INHERITED)
                .stdin(Stdio.nothing())
                .stdout(Stdio.to(folder.resolve("out")))
                .stderr(Stdio.append(folder.resolve("out")))
                .start(loop);
    }

    final void assertSuccess(Child child) throws Exception {
        ExitStatus status = child.exit().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertTrue(status.isSuccess(), () -> status + ": " + output());
    }

    /** What the child has printed. */
    final String output() {
        try {
            return Files.readString(folder.resolve("out"));
        } catch (IOException e) {
            return e.toString();
        }
    }
}
