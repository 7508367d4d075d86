package dev.carillon.process;

import static dev.carillon.process.Running.linesOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.SignalAction;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Deadline;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a child begins with. */
final class CleanChildIT extends ChildCase {
    private static final Spawn.Builder SIGNALS = Spawn.command("grep", "-E", "Sig(Blk|Ign):", "/proc/self/status");
    private static final List<String> CLEAN = List.of("SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000");

    private static final long OF_GLIBC = 3L << 31;

    private final Sys sys = Sys.get();
    private final List<Fd> nulls = new ArrayList<>();

    @AfterEach
    void closeNulls() {
        nulls.forEach(Closing::now);
    }

    // r[verify process.clean]
    @Test
    void noSignalIsBlockedWhicheverThreadStartsIt() throws Exception {
        // What this process ignores itself, below nohup for example, is handed on; that is another rule.
        List<String> expected = List.of(CLEAN.get(0), ownIgnored());
        assertEquals(expected, linesOf(SIGNALS, loop));
        List<String> ofDeafThread = Deadline.call(Running.LIMIT, () -> {
            sys.signals().block(SignalSet.all().toBits());
            return linesOf(SIGNALS, loop);
        });
        assertEquals(expected, ofDeafThread);
    }

    private static String ownIgnored() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .map(line -> Long.parseUnsignedLong(
                        line.substring("SigIgn:".length()).strip(), 16))
                // A VM that another VM started ignores one of glibc's own signals, 32: glibc's posix_spawn does that.
                .map(bits -> "SigIgn:\t%016x".formatted(bits & ~OF_GLIBC))
                .findFirst()
                .orElseThrow();
    }

    // r[verify process.clean]
    @Test
    void theChildHasExactlyTheDescriptorsAskedFor() {
        Fd leaky = sys.descriptors().duplicateFrom(openNull(), 0);
        Fd high = sys.descriptors().duplicateFrom(openNull(), 500);
        sys.descriptors().setCloseOnExec(leaky.acquire(), false);
        sys.descriptors().setCloseOnExec(high.acquire(), false);
        Spawn.Builder list = Spawn.command("ls", "/proc/self/fd");
        // One more is the folder that ls reads, at the lowest free number.
        assertEquals(List.of("0", "1", "2", "3"), linesOf(list, loop));
        List<String> seen = linesOf(list.inherit(high.acquire(), 7).inherit(leaky.acquire(), 4), loop);
        assertEquals(List.of("0", "1", "2", "3", "4", "7"), seen);
        assertEquals(
                List.of("0", "1", "2", "3", "4"),
                linesOf(list.withoutInherited(7).withoutInherited(9), loop));
        for (Fd fd : List.of(leaky, high)) {
            Closing.now(fd);
        }
    }

    private int openNull() {
        Fd fd = sys.files().open("/dev/null", Constants.O_RDWR, 0);
        nulls.add(fd);
        return fd.acquire();
    }

    // r[verify process.clean]
    @Test
    void numbersMayBeSwappedAndShared() {
        Fd[] one = sys.descriptors().pipe(false);
        Fd[] two = sys.descriptors().pipe(false);
        int first = one[1].acquire();
        int second = two[1].acquire();
        Spawn.Builder both =
                Spawn.command("sh", "-c", "printf a > /proc/self/fd/" + first + "; printf b > /proc/self/fd/" + second);
        Child child = both.inherit(first, second).inherit(second, first).start(loop);
        assertTrue(Running.exitOf(child).isSuccess());
        assertEquals('b', read(one[0]));
        assertEquals('a', read(two[0]));
        Child shared = Spawn.command("sh", "-c", "printf x >&5; printf y >&6")
                .inherit(first, 5)
                .inherit(first, 6)
                .start(loop);
        assertTrue(Running.exitOf(shared).isSuccess());
        assertEquals('x', read(one[0]));
        assertEquals('y', read(one[0]));
        for (Fd end : List.of(one[0], one[1], two[0], two[1])) {
            Closing.now(end);
        }
    }

    private int read(Fd end) {
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        int number = end.acquire();
        try {
            assertEquals(1, sys.descriptors().read(number, sys.libc().addressOf(one), 1));
        } finally {
            end.release();
        }
        return one.get(0);
    }

    // r[verify process.clean]
    @Test
    void whatWasIgnoredAtOurStartStaysSoUnlessAsked() {
        String hup = "SigIgn:\t0000000000000001";
        List<String> lines = outputOf(ChildJvm.of(Listing.class).args("signals").ignoreSignals("HUP"));
        assertEquals(List.of("SigBlk:\t0000000000000000", hup, CLEAN.get(0), CLEAN.get(1)), lines);
    }

    // r[verify process.clean]
    @Test
    void whereGlibcCannotCloseTheListedNumbersAreClosed() {
        List<String> lines =
                outputOf(ChildJvm.of(Listing.class).args("descriptors").vmFlags("-Dcarillon.without=spawn_close_from"));
        assertEquals(List.of("0", "1", "2", "3", "4", "9"), lines);
    }

    // r[verify process.exit]
    @Test
    void whereSigchldIsIgnoredTheEndIsSaidToBeUnknown() {
        List<String> lines = outputOf(ChildJvm.of(Listing.class).args("unknown"));
        assertEquals(1, lines.size());
        assertTrue(lines.get(0).contains("do not ignore SIGCHLD"), lines::toString);
    }

    // r[verify process.exit]
    @Test
    void aLoopThatEndsFirstLeavesNoZombie() {
        assertEquals(
                List.of("exit code 5", "zombies 0"),
                outputOf(ChildJvm.of(Listing.class).args("orphan")));
    }

    private static List<String> outputOf(ChildJvm vm) {
        ChildExit exit = vm.run(Running.LIMIT);
        assertEquals(0, exit.code(), exit::toString);
        return exit.stdout();
    }

    /** Starts children in a VM of its own and prints what it learns. */
    static final class Listing {
        public static void main(String[] args) throws Exception {
            try (EventLoop loop = EventLoop.open().start()) {
                run(args[0], loop);
            }
        }

        private static void run(String what, EventLoop loop) throws Exception {
            switch (what) {
                case "signals" -> {
                    linesOf(SIGNALS, loop).forEach(System.out::println);
                    linesOf(SIGNALS.resetIgnored(), loop).forEach(System.out::println);
                }
                case "descriptors" -> {
                    Sys sys = Sys.get();
                    Fd leaky = sys.files().open("/dev/null", Constants.O_RDWR, 0);
                    sys.descriptors().setCloseOnExec(leaky.acquire(), false);
                    linesOf(Spawn.command("ls", "/proc/self/fd").inherit(0, 4).inherit(1, 9), loop)
                            .forEach(System.out::println);
                }
                case "unknown" -> {
                    // The JDK sets it back when it loads its classes for processes, so those come first.
                    Running.exitOf(Spawn.command("true").start(loop));
                    SignalAction ignore = new SignalAction(SignalAction.IGNORE, 0, 0);
                    Sys.get().signals().setAction(Signal.SIGCHLD.number(), ignore);
                    Child child = Spawn.command("true").start(loop);
                    System.out.println(child.exit()
                            .handle((status, failure) -> failure == null
                                    ? status + " although SIGCHLD is "
                                            + Sys.get().signals().action(17)
                                    : failure.getMessage())
                            .get(30, TimeUnit.SECONDS));
                }
                default -> {
                    Child child = Spawn.command("sh", "-c", "read line; exit 5")
                            .stdin(Stdio.pipe())
                            .start(loop);
                    loop.close();
                    assertTrue(child.isAlive());
                    child.send(Signal.SIGCONT);
                    child.close();
                    System.out.println(Running.exitOf(child));
                    System.out.println("zombies " + (new java.io.File("/proc/" + child.pid()).exists() ? 1 : 0));
                }
            }
        }
    }
}
