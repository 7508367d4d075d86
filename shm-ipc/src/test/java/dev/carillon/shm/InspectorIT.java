package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.shm.audit.ProcessFiles;
import dev.carillon.shm.audit.ProcessFiles.OpenFile;
import dev.carillon.shm.inspect.CarillonShm;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.proc.VmFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The inspector at links between other processes that are under load. */
// r[verify shm.inspect]
final class InspectorIT {
    private static final Duration START = Duration.ofSeconds(90);
    private static final int LOOKS = 5;
    private static final int TRIES = 10;
    private static final long FRAMES = 30_000;

    private static final Pattern SLOTS =
            Pattern.compile("\"count\":(\\d+),\"free\":(\\d+),\"claimed\":(\\d+),\"inFlight\":(\\d+),\"held\":(\\d+)");
    private static final Pattern RING = Pattern.compile("\"entries\":(\\d+),\"unread\":(\\d+),\"published\":(\\d+)");

    @TempDir
    private Path folder;

    private static ChildJvm inspector(Object... words) {
        return ChildJvm.of(CarillonShm.class)
                .args(List.of(words).stream().map(Object::toString).toArray(String[]::new));
    }

    private ChildProcess host(String kind, String... guests) {
        ChildProcess host = LoadHost.with(kind, directory().toString(), guests).start();
        Deadline.after(START)
                .await(
                        "all are there",
                        () -> host.stdout().stream()
                                        .filter(line -> line.matches("guest [0-9]+ pid=.*"))
                                        .count()
                                == guests.length);
        count(host, 1_000);
        return host;
    }

    private Path directory() {
        return folder.resolve("host");
    }

    /** Waits until so many more frames were received; how long that took for each, in nanoseconds. */
    private static double count(ChildProcess host, long frames) {
        long[] first = count(host);
        long[] last = first;
        Deadline deadline = Deadline.after(START);
        while (last[0] - first[0] < frames) {
            long[] next = count(host);
            deadline.await("frames are received", () -> next[0] >= first[0]);
            last = next;
        }
        return (double) (last[1] - first[1]) / (last[0] - first[0]);
    }

    private static long[] count(ChildProcess host) {
        host.writeLine("count");
        String[] words = host.awaitLine("received ", START).split(" ", -1);
        return new long[] {Long.parseLong(words[1]), Long.parseLong(words[3])};
    }

    @Test
    void theFiguresAddUpUnderLoadAndAgreeWithWhatTheGuestSaysItHasSent() {
        try (ChildProcess host = host("memfd", "plain", "channels");
                ChildProcess watch = inspector(host.pid(), "--watch", "--json").start()) {
            Deadline.after(START).await("it has looked", () -> watch.stdout().size() >= LOOKS);
            // Whole ones: its end may come in the midst of a line.
            List<String> looks = watch.stdout();
            watch.send("INT");
            assertEquals(130, watch.awaitExit(LIMIT).code());
            long before = 0;
            for (String look : looks) {
                assertAddsUp(look, 2);
                long published = published(look);
                assertTrue(published >= before, look);
                before = published;
            }
            host.writeLine("pause");
            String sent = host.awaitLine("guest 1 sent ", START);
            host.awaitLine("guest 2 sent ", START);
            String last = shown(0, directory(), "--json").stdout().get(0);
            assertAddsUp(last, 2);
            assertEquals(sent, "guest 1 sent " + published(last));
            assertTrue(published(last) >= before, last);
        }
    }

    private static ChildExit shown(int code, Object... words) {
        ChildExit exit = inspector(words).run(START);
        assertEquals(code, exit.code(), exit::toString);
        return exit;
    }

    private static void assertAddsUp(String look, int links) {
        assertTrue(look.contains("\"violations\":[]") && look.endsWith("\"failed\":[]}"), look);
        Matcher slots = SLOTS.matcher(look);
        for (int i = 0; i < 4 * links; i++) {
            assertTrue(slots.find(), look);
            int sum = 0;
            for (int state = 2; state <= 5; state++) {
                sum += Integer.parseInt(slots.group(state));
            }
            assertEquals(Integer.parseInt(slots.group(1)), sum, look);
        }
        Matcher ring = RING.matcher(look);
        for (int i = 0; i < 2 * links; i++) {
            assertTrue(ring.find(), look);
            assertTrue(Integer.parseInt(ring.group(2)) <= Integer.parseInt(ring.group(1)), look);
        }
    }

    /** What guest 1 has published. */
    private static long published(String look) {
        String toHost = look.substring(look.indexOf("\"toHost\""));
        Matcher ring = RING.matcher(toHost);
        assertTrue(ring.find(), look);
        return Long.parseLong(ring.group(3));
    }

    @Test
    void nothingIsDisturbedByIt() {
        try (ChildProcess host = host("files", "plain")) {
            count(host, FRAMES);
            List<OpenFile> open = files(host);
            double before = count(host, FRAMES);
            try (ChildProcess watch = inspector(directory(), "--watch").start()) {
                watch.awaitLine("  audit    no violation", START);
                double with = count(host, FRAMES);
                // The machine may have stood still meanwhile, or others use it.
                for (int i = 1; i < TRIES && with >= 4 * before; i++) {
                    with = Math.min(with, count(host, FRAMES));
                }
                double after = after(watch, host);
                String rates = String.format(
                        "nanoseconds per frame: %.0f, %.0f with the inspector, %.0f", before, with, after);
                System.out.println(rates);
                assertTrue(with < 4 * Math.max(before, after), rates);
            }
            Deadline.after(LIMIT).await("it has the descriptors of before: " + open, () -> open.equals(files(host)));
        }
    }

    /** Without those that its VM opens for itself. */
    private static List<OpenFile> files(ChildProcess host) {
        try {
            return ProcessFiles.of(host.pid()).stream()
                    .filter(open -> !VmFiles.contains(open.target()))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static double after(ChildProcess watch, ChildProcess host) {
        watch.send("INT");
        watch.awaitExit(LIMIT);
        return count(host, FRAMES);
    }

    /** Of a host that was killed its files stay, and their links move no more. */
    @ParameterizedTest
    @CsvSource({"memfd, no host lives in", "files, the host is gone"})
    void peopleSeeTheLinkAndTheEndOfItsHostEndsTheWatch(String kind, String told) {
        try (ChildProcess host = host(kind, "plain");
                ChildProcess watch = inspector(directory(), "--watch").start()) {
            watch.awaitLine("host " + host.pid() + " in " + directory() + ": 1 link", START);
            String link = watch.awaitLine("link 1 ", START);
            String memory = kind.equals("files") ? "file" : kind;
            assertTrue(
                    link.matches("link 1 {2}ATTACHED, incarnation 1, [0-9]+ s old, " + memory + ", [0-9,]+ bytes"),
                    link);
            watch.awaitLine("  host     pid " + host.pid() + ", alive", START);
            watch.awaitLine("  guest    pid ", START);
            watch.awaitLine(Pattern.compile("  to host .* since the start, [0-9,]+ per second"), START);
            host.send("KILL");
            ChildExit exit = watch.awaitExit(START);
            assertEquals(0, exit.code(), exit::toString);
            assertTrue(exit.stderr().toString().contains(told), exit::toString);
        }
    }

    /** What a dead host has left is shown once. */
    @Test
    void aWatchOfWhatADeadHostHasLeftShowsItAndEnds() {
        try (ChildProcess host = host("files", "plain")) {
            host.send("KILL");
            host.awaitExit(LIMIT);
        }
        ChildExit exit = shown(0, directory(), "--watch", "--json");
        assertEquals(1, exit.stdout().size(), exit::toString);
        assertTrue(exit.stdout().get(0).contains("which lives no more"), exit::toString);
        assertTrue(exit.stderr().toString().contains("the host is gone"), exit::toString);
    }
}
