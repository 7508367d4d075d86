package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import dev.carillon.sys.call.Limit;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.LoadedClasses;
import dev.carillon.test.proc.Descriptors;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A host that can open nothing more turns guests away, and says why. */
// r[verify shm.attach.shortage]
final class HostWithoutDescriptorsIT {
    /** As many as a link needs, and some more. */
    private static final int ENOUGH = 12;

    private static final Duration SOON = Duration.ofMillis(300);

    @TempDir
    private Path folder;

    private ChildProcess host() {
        ChildProcess host =
                ChildJvm.of(Host.class).args(folder.resolve("host").toString()).start();
        host.awaitLine("here", LIMIT);
        return host;
    }

    private static int leave(ChildProcess host, int free) {
        host.writeLine(Integer.toString(free));
        String line = host.awaitLine(Pattern.compile("^" + free + " free of [0-9]+"), LIMIT);
        return Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1));
    }

    private boolean connects() throws InterruptedException {
        try {
            ShmGuest.connect(folder.resolve("host"), LIMIT).close();
            return true;
        } catch (ConnectException refused) {
            String told = String.valueOf(refused.getMessage());
            assertTrue(told.contains("has no room for another guest: it is out of descriptors (EMFILE)"), told);
            return false;
        } catch (IOException other) {
            throw new AssertionError(other);
        }
    }

    @Test
    void eachGuestIsToldAtOnceThatTheHostIsOutOfDescriptors() throws Exception {
        try (ChildProcess host = host()) {
            for (int i = 0; i < 3; i++) {
                assertTrue(connects());
            }
            int before = leave(host, 1_000);
            int refused = 0;
            for (int free = 0; free < ENOUGH; free++) {
                leave(host, free);
                for (int i = 0; i < 3; i++) {
                    refused += connects() ? 0 : 1;
                }
            }
            assertTrue(refused >= 6, "refused: " + refused);
            assertTrue(connects(), "it has recovered");
            Deadline.after(LIMIT).await("nothing stays open", () -> leave(host, 1_000) <= before);
            long reports = host.stdout().stream()
                    .filter(line -> line.startsWith("reported"))
                    .count();
            // The log of a loop leaves out what comes too often; here each report is counted.
            assertTrue(reports >= refused, () -> host.stdout().toString());
        }
    }

    /** Where nobody can answer the guest says where to look. */
    @Test
    void aGuestOfAHostThatIsStoppedNamesItsProcess() throws Exception {
        try (ChildProcess host = host()) {
            assertTrue(connects());
            host.send("STOP");
            Deadline.after(LIMIT).await("all its threads have stopped", () -> IdleGuestsIT.isStopped(host.pid()));
            String told =
                    "pid=" + host.pid() + ", has not answered in time: it is busy, stopped, or out of descriptors";
            GuestSocketTest.assertToldLate(folder.resolve("host"), SOON, told);
            host.send("CONT");
        }
    }

    /** Each line that it reads is how many descriptors are left to it. */
    static final class Host {
        private static final int RLIMIT_NOFILE = 7;

        public static void main(String[] args) throws Exception {
            LoadedClasses.of(HostWithoutDescriptorsIT.class, ShmHost.class, EventLoop.class);
            EventLoop loop = EventLoop.open(EventLoopOptions.builder()
                            .errorHandler((on, error) -> System.out.println("reported " + error))
                            .build())
                    .start();
            HostConfig config = HostConfig.builder()
                    .loop(loop)
                    .link(LinkConfig.builder().ring(4).withoutSlots().build())
                    .onGuest((link, guest) -> link.close())
                    .build();
            Sys sys = Sys.get();
            Limit usual = sys.processes().limit(RLIMIT_NOFILE);
            try (ShmHost host = ShmHost.create(Path.of(args[0]), config)) {
                System.out.println("here");
                var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    sys.processes().setLimit(RLIMIT_NOFILE, usual);
                    int free = Integer.parseInt(line);
                    int open = Descriptors.count();
                    if (free < 1_000) {
                        int lowest = AttachExhaustionIT.Steps.lowest(free);
                        sys.processes().setLimit(RLIMIT_NOFILE, new Limit(lowest, usual.hard()));
                    }
                    System.out.println(free + " free of " + open);
                }
                System.out.println(host);
            }
            System.exit(0);
        }
    }
}
