package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import dev.carillon.loop.LoopCase;
import dev.carillon.loop.LoopStats;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Accepting when the process has no descriptors left. */
final class AcceptLimitIT {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    // r[verify io.accept]
    @Test
    void withoutDescriptorsAcceptingPausesReportsAndGoesOn(@TempDir Path folder) throws Exception {
        // Classes in folders cannot be loaded without descriptors; those in a jar can, as it stays open. And the VM
        // must not open the files of a container, which it reads at any time.
        try (ChildProcess child = ChildJvm.of(Exhausted.class)
                .vmFlags("-XX:-UseContainerSupport")
                .classPath(jarOf(folder, EventLoop.class), jarOf(folder, AcceptLimitIT.class))
                .classPath(jarOf(folder, Deadline.class))
                .prefix("prlimit", "--nofile=120:120")
                .start()) {
            ChildExit exit = child.awaitExit(Duration.ofSeconds(60));
            assertEquals(
                    List.of(
                            "paused",
                            "alive",
                            "not spinning",
                            "one report",
                            "accepted",
                            "reports after more pauses: 1",
                            "accepted with the reserve, reports: 1"),
                    exit.stdout(),
                    exit::toString);
        }
    }

    private static Path jarOf(Path folder, Class<?> member) throws Exception {
        Path classes = Path.of(
                member.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (!Files.isDirectory(classes)) {
            return classes;
        }
        Path jar = folder.resolve(member.getSimpleName() + ".jar");
        int result = ToolProvider.findFirst("jar")
                .orElseThrow()
                .run(System.out, System.err, "cf", jar.toString(), "-C", classes.toString(), ".");
        assertEquals(0, result);
        return jar;
    }

    static final class Exhausted {
        /** A report is told again after ten seconds. Those that lie so far apart show nothing but a slow machine. */
        private static final long AGAIN = TimeUnit.SECONDS.toNanos(5);

        public static void main(String[] args) throws InterruptedException {
            ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();
            long[] last = new long[1];
            EventLoop loop = EventLoop.open(EventLoopOptions.builder()
                            .daemon(true)
                            .errorHandler((failed, error) -> {
                                if (errors.isEmpty() || System.nanoTime() - last[0] < AGAIN) {
                                    errors.add(error);
                                }
                                last[0] = System.nanoTime();
                            })
                            .build())
                    .start();
            ServerSocket server = ServerSocket.bind(loop, LoopCase.localFour());
            StreamSocket client = LoopCase.get(StreamSocket.connect(loop, server.localAddress()));
            // Loads what the rest needs, as classes cannot be loaded without descriptors.
            LoopCase.get(server.acceptAsync()).close();
            client.close();
            StreamSocket waiting = LoopCase.get(StreamSocket.connect(loop, server.localAddress()));
            List<Fd> taken = new ArrayList<>();
            exhaust(taken);
            CompletableFuture<StreamSocket> accepting = server.acceptAsync();
            Deadline.after(LIMIT).await("it is reported", () -> !errors.isEmpty());
            System.out.println(accepting.isDone() ? "done" : "paused");
            LoopStats before = loop.stats();
            CountDownLatch fired = new CountDownLatch(1);
            loop.schedule(Duration.ofMillis(200), fired::countDown);
            System.out.println(fired.await(LIMIT.toSeconds(), TimeUnit.SECONDS) ? "alive" : "dead");
            LoopStats after = loop.stats();
            boolean spins = after.iterations() - before.iterations() >= 100;
            System.out.println(
                    spins
                            ? "spinning from " + before + " to " + after + ", done: " + accepting.isDone()
                            : "not spinning");
            System.out.println(errors.size() == 1 ? "one report" : errors.toString());
            taken.forEach(Fd::close);
            LoopCase.get(accepting).close();
            System.out.println("accepted");
            System.out.println("reports after more pauses: " + reportsAfterMorePauses(loop, server, errors));
            acceptWithReserve(loop, server);
            System.out.println("accepted with the reserve, reports: " + errors.size());
            waiting.close();
            server.close();
            loop.close();
        }

        /** Only what the server gives up makes room. */
        private static void acceptWithReserve(EventLoop loop, ServerSocket server) {
            StreamSocket client = LoopCase.get(StreamSocket.connect(loop, server.localAddress()));
            Fd reserve = Sys.get().clocks().event(0);
            List<Fd> taken = new ArrayList<>();
            exhaust(taken);
            AtomicBoolean given = new AtomicBoolean();
            server.onShortage(() -> {
                reserve.close();
                return given.compareAndSet(false, true);
            });
            StreamSocket accepted = LoopCase.get(server.acceptAsync());
            if (!given.get()) {
                System.out.println("nobody has asked for the reserve");
            }
            taken.forEach(Fd::close);
            accepted.close();
            client.close();
        }

        /** Whoever connects and goes in a loop must not fill the log. */
        private static int reportsAfterMorePauses(
                EventLoop loop, ServerSocket server, ConcurrentLinkedQueue<Throwable> errors) {
            for (int i = 0; i < 20; i++) {
                StreamSocket client = LoopCase.get(StreamSocket.connect(loop, server.localAddress()));
                List<Fd> taken = new ArrayList<>();
                exhaust(taken);
                CompletableFuture<StreamSocket> accepting = server.acceptAsync();
                long before = loop.stats().iterations();
                // Some other thread may have closed a file meanwhile.
                Deadline.after(LIMIT)
                        .await(
                                "it has paused, or found one descriptor",
                                () -> loop.stats().iterations() > before + 2 || accepting.isDone());
                taken.forEach(Fd::close);
                LoopCase.get(accepting).close();
                client.close();
            }
            return errors.size();
        }

        private static void exhaust(List<Fd> taken) {
            try {
                while (true) {
                    taken.add(Sys.get().clocks().event(0));
                }
            } catch (dev.carillon.SyscallException full) {
                if (!full.errnoName().equals("EMFILE")) {
                    throw full;
                }
            }
        }
    }
}
