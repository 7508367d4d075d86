package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.Errno;
import dev.carillon.sys.call.Limit;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Deadline;
import dev.carillon.test.LoadedClasses;
import dev.carillon.test.proc.Descriptors;
import dev.carillon.test.proc.Mapping;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process runs out of descriptors at each step of making a host, making a link, and attaching. */
final class AttachExhaustionIT {
    @TempDir
    private Path folder;

    @Test
    void noDescriptorsAtAnyStepIsAnErrorThatLeavesNothingBehind() {
        ChildExit exit =
                ChildJvm.of(Steps.class).args(folder.resolve("host").toString()).run(Duration.ofSeconds(90));
        assertEquals(0, exit.code(), exit::toString);
        for (String what : new String[] {"host", "link", "inherited", "connected"}) {
            assertTrue(exit.stdout().stream().anyMatch(line -> line.startsWith(what + " works with ")), exit::toString);
        }
    }

    /**
     * What this process has of others' or for others.
     *
     * @param mappings of the memory of links
     * @param threads of Java
     */
    private record Held(int descriptors, long mappings, long threads) {
        static Held now() {
            long mappings = Mapping.all().stream()
                    .filter(each -> each.path().contains("carillon-link"))
                    .count();
            // That of the collector comes and goes with it.
            long threads = Thread.getAllStackTraces().keySet().stream()
                    .filter(each -> !each.getName().equals("carillon-memory-cleaner"))
                    .count();
            return new Held(Descriptors.count(), mappings, threads);
        }

        /** Some is closed by a loop. */
        void awaitAgain(String after) {
            Deadline.after(LIMIT).await(after + ": " + this + " as before", () -> {
                Held now = now();
                return now.descriptors <= descriptors && now.mappings <= mappings && now.threads <= threads;
            });
        }
    }

    /** Does each thing with no free descriptor, with one, with two, until it works. */
    static final class Steps {
        private static final int RLIMIT_NOFILE = 7;
        private static final int MORE_THAN_ENOUGH = 20;
        private static final Duration SOON = Duration.ofMillis(500);
        private static final LinkConfig SMALL =
                LinkConfig.builder().ring(4).withoutSlots().build();

        private static final Sys SYS = Sys.get();
        private static final Limit USUAL = SYS.processes().limit(RLIMIT_NOFILE);

        public static void main(String[] args) throws Exception {
            // The loop that others use would keep this VM alive if a step failed.
            Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
                failure.printStackTrace();
                Runtime.getRuntime().halt(1);
            });
            LoadedClasses.of(AttachExhaustionIT.class, ShmHost.class, EventLoop.class);
            Path directory = Path.of(args[0]);
            EventLoop loop = EventLoop.open().start();
            HostConfig config = HostConfig.builder()
                    .loop(loop)
                    .link(SMALL)
                    .onGuest((link, guest) -> link.close())
                    .build();
            Callable<Object> host = () -> {
                ShmHost.create(directory, config).close();
                return "";
            };
            host.call();
            atEachLimit("host", directory, host);
            try (ShmHost open = ShmHost.create(directory, config)) {
                Callable<Object> link = () -> {
                    PeerTicket ticket = open.addPeer(SMALL);
                    ticket.close();
                    ticket.link().close();
                    return "";
                };
                link.call();
                atEachLimit("link", directory, link);
                attachAtEachLimit(open);
                Callable<Object> connect = () -> {
                    ShmGuest.connect(directory, SOON).close();
                    return "";
                };
                connectOften(directory);
                atEachLimit("connected", directory, connect);
                connectOften(directory);
                Deadline.after(LIMIT).await("the host has no guests", () -> closeGone(open));
            }
            ensure(!Files.exists(directory), "the directory was left");
            loop.close();
            System.exit(0);
        }

        private static void connectOften(Path directory) throws IOException, InterruptedException {
            for (int i = 0; i < 3; i++) {
                ShmGuest.connect(directory, LIMIT).close();
            }
        }

        private static boolean closeGone(ShmHost host) {
            for (ShmLink link : host.peers()) {
                if (link.peerState() == PeerState.GONE) {
                    link.close();
                }
            }
            return host.peers().isEmpty();
        }

        /** A ticket is good until somebody has attached with it. */
        private static void attachAtEachLimit(ShmHost host) throws Exception {
            Held before = Held.now();
            for (int free = 0; free < MORE_THAN_ENOUGH; free++) {
                try (PeerTicket ticket = host.addPeer(SMALL)) {
                    int memory = SYS.descriptors()
                            .duplicateFrom(ticket.memoryNumber(), 0)
                            .acquire();
                    int bell = SYS.descriptors()
                            .duplicateFrom(ticket.bellNumber(), 0)
                            .acquire();
                    boolean worked = within(free, () -> {
                        ShmGuest.attach(memory, bell).close();
                        return "";
                    });
                    ticket.link().close();
                    if (worked) {
                        System.out.println("inherited works with " + free);
                        return;
                    }
                    // A guest that fails keeps what it has inherited, and may try again.
                    SYS.libc().close(memory);
                    SYS.libc().close(bell);
                }
                before.awaitAgain("inherited with " + free);
            }
            throw new IllegalStateException("it never works");
        }

        private static void atEachLimit(String what, Path directory, Callable<Object> action) throws Exception {
            Held before = Held.now();
            for (int free = 0; free < MORE_THAN_ENOUGH; free++) {
                boolean works = within(free, action);
                ensure(!what.equals("host") || !Files.exists(directory), "the directory was left");
                if (works) {
                    System.out.println(what + " works with " + free);
                    before.awaitAgain(what);
                    return;
                }
                before.awaitAgain(what + " with " + free);
            }
            throw new IllegalStateException(what + " never works");
        }

        private static boolean within(int free, Callable<Object> action) throws Exception {
            SYS.processes().setLimit(RLIMIT_NOFILE, new Limit(lowest(free), USUAL.hard()));
            try {
                action.call();
                return true;
            } catch (IOException refused) {
                System.out.println(free + " free: " + refused);
                return false;
            } catch (SyscallException shortage) {
                System.out.println(free + " free: " + shortage);
                ensure(shortage.errno() == Errno.EMFILE, shortage.toString());
                return false;
            } finally {
                SYS.processes().setLimit(RLIMIT_NOFILE, USUAL);
            }
        }

        /** The limit below which that many numbers are free. */
        static int lowest(int free) {
            Set<Integer> open = Descriptors.open().keySet();
            int limit = 0;
            int found = 0;
            while (found < free || open.contains(limit)) {
                found += open.contains(limit) ? 0 : 1;
                limit++;
            }
            return limit;
        }

        private static void ensure(boolean fact, String otherwise) {
            if (!fact) {
                throw new IllegalStateException(otherwise);
            }
        }
    }
}
