package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.SyscallException;
import dev.carillon.io.PassedDescriptor;
import dev.carillon.io.ReceivedDescriptors;
import dev.carillon.io.StreamSocket;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import dev.carillon.sys.LibC;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import dev.carillon.test.Seeded;
import dev.carillon.test.proc.Descriptors;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is closed while a guest is handed its descriptors: it gets those of its link, or none. */
// r[verify shm.attach.own-descriptors]
final class HandedOverTest {
    private static final int ARRIVALS = 400;
    private static final int SPAWNS = 200;
    private static final long MADE_IN_NANOS = 1_000_000;
    private static final LinkConfig SMALL =
            LinkConfig.builder().ring(4).withoutSlots().build();

    @TempDir
    private Path folder;

    private final Queue<Throwable> told = new ConcurrentLinkedQueue<>();
    private final EventLoop loop = EventLoop.open(EventLoopOptions.builder()
                    .errorHandler((which, failure) -> told.add(failure))
                    .build())
            .start();
    private final EventLoop clients = EventLoop.open().start();

    @AfterEach
    void closeLoops() {
        loop.close();
        clients.close();
    }

    /** Closes something on another thread, some time after it is told to. */
    private static Thread closing(CompletableFuture<?> begun, AutoCloseable what, long nanos) {
        return closing(begun, new CompletableFuture<>(), what, nanos);
    }

    /** As above, and tells when that time begins. */
    private static Thread closing(
            CompletableFuture<?> begun, CompletableFuture<Boolean> runs, AutoCloseable what, long nanos) {
        Thread thread = new Thread(
                () -> {
                    begun.join();
                    runs.complete(true);
                    long end = System.nanoTime() + nanos;
                    while (System.nanoTime() < end) {
                        Thread.onSpinWait();
                    }
                    try {
                        what.close();
                    } catch (Exception failure) {
                        throw new IllegalStateException(failure);
                    }
                },
                "closes");
        thread.start();
        return thread;
    }

    @Test
    void aGuestThatComesWhileItsHostIsClosedGetsNoDescriptorOfOthers(@Seeded SplittableRandom random) throws Exception {
        int welcomed = 0;
        try (ForeignFiles files = new ForeignFiles()) {
            assertTrue(Files.exists(Path.of(ForeignFiles.PATH)), files::toString);
            for (int i = 0; i < ARRIVALS; i++) {
                Path directory = folder.resolve("host" + i);
                CompletableFuture<Boolean> asked = new CompletableFuture<>();
                HostConfig config = HostConfig.builder()
                        .loop(loop)
                        .linkFor(guest -> {
                            asked.complete(true);
                            return SMALL;
                        })
                        .onGuest((link, guest) -> link.close())
                        .build();
                ShmHost host = ShmHost.create(directory, config);
                CompletableFuture<Boolean> begun = i % 4 == 0 ? asked : asked.thenApplyAsync(now -> hasLink(host));
                Thread closer = closing(begun, host, random.nextInt(i % 4 == 0 ? 600_000 : 30_000));
                welcomed += arrive(directory);
                // Of a guest that was silent for seconds, as this thread stood still, the host is not asked.
                asked.complete(true);
                closer.join();
            }
        }
        assertTrue(welcomed > 0, "none was in time");
        assertEquals(List.of(), List.copyOf(told));
    }

    /** As soon as a link is made, the host is closed: then its descriptors are on their way, if the guest was not faster. */
    private static boolean hasLink(ShmHost host) {
        long end = System.nanoTime() + MADE_IN_NANOS;
        while (host.peers().isEmpty() && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        return true;
    }

    /** How many were welcomed, 0 or 1. */
    private int arrive(Path directory) throws Exception {
        StreamSocket guest = Futures.get(
                StreamSocket.connect(clients, UnixDomainSocketAddress.of(directory.resolve(HostFolder.SOCKET))));
        try {
            guest.writeAllAsync(AttachMessage.hello()).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            ReceivedDescriptors got =
                    guest.receiveDescriptorsAsync(ByteBuffer.allocate(100), 2).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            List<String> targets = new ArrayList<>();
            for (PassedDescriptor each : got.descriptors()) {
                int number = each.detach();
                targets.add(Files.readSymbolicLink(Path.of("/proc/self/fd/" + number))
                        .toString());
                LibC.get().close(number);
            }
            if (targets.isEmpty()) {
                return 0;
            }
            assertOfALink(targets);
            return 1;
        } catch (ExecutionException reset) {
            assertTrue(
                    reset.getCause() instanceof SyscallException || reset.getCause() instanceof IOException,
                    reset::toString);
            return 0;
        } finally {
            Futures.get(guest.closeAsync());
        }
    }

    private static void assertOfALink(List<String> targets) {
        assertEquals(2, targets.size(), targets::toString);
        assertTrue(targets.get(0).startsWith("/memfd:carillon-link-"), targets::toString);
        assertTrue(targets.get(1).startsWith("socket:"), targets::toString);
    }

    @Test
    void aChildThatIsSpawnedWhileItsHostLinkOrTicketIsClosedGetsNoDescriptorOfOthers(@Seeded SplittableRandom random)
            throws Exception {
        Path shown = folder.resolve("shown");
        int spawned = 0;
        try (ForeignFiles files = new ForeignFiles()) {
            assertTrue(Files.exists(Path.of(ForeignFiles.PATH)), files::toString);
            for (int i = 0; i < SPAWNS; i++) {
                ShmHost host = ShmHost.create();
                PeerTicket ticket = host.addPeer(SMALL);
                AutoCloseable what = i % 3 == 0 ? host : i % 3 == 1 ? ticket.link() : ticket;
                CompletableFuture<Boolean> begun = new CompletableFuture<>();
                CompletableFuture<Boolean> runs = new CompletableFuture<>();
                Thread closer = closing(begun, runs, what, random.nextInt(400_000));
                Files.deleteIfExists(shown);
                Spawn.Builder command = Spawn.command("/bin/sh", "-c", "readlink /proc/$$/fd/3 /proc/$$/fd/4")
                        .stdin(Stdio.nothing())
                        .stdout(Stdio.append(shown))
                        .stderr(Stdio.nothing());
                begun.complete(true);
                if (i % 2 == 1) {
                    // Where it takes long to wake a thread no close would be in time.
                    Futures.get(runs);
                }
                try {
                    Child child = host.spawn(command, ticket, loop);
                    Futures.get(child.exit());
                    assertOfALink(Files.readAllLines(shown));
                    spawned++;
                } catch (ClosedException tooLate) {
                    String message = Objects.requireNonNull(tooLate.getMessage());
                    assertTrue(message.contains("addPeer"), message);
                } finally {
                    closer.join();
                    host.close();
                    ticket.close();
                }
            }
        }
        assertTrue(spawned > 0 && spawned < SPAWNS, "all or none: no close came at an interesting moment");
    }

    // r[verify shm.attach.given-up]
    @Test
    void aConnectThatIsGivenUpAtAnyMomentLeavesNoDescriptor(@Seeded SplittableRandom random) throws Exception {
        Path directory = folder.resolve("host");
        HostConfig config = HostConfig.builder()
                .loop(loop)
                .link(SMALL)
                .onGuest((link, guest) -> link.close())
                .build();
        try (ShmHost host = ShmHost.create(directory, config)) {
            connectAndGiveUp(directory, random, 20);
            int before = Descriptors.count();
            int givenUp = connectAndGiveUp(directory, random, ARRIVALS);
            assertTrue(givenUp > 0, "none was given up");
            Deadline.after(LIMIT).await("all is closed", () -> closeGone(host) && Descriptors.count() <= before);
        }
    }

    private static boolean closeGone(ShmHost host) {
        host.peers().stream().filter(link -> link.peerState().isOver()).forEach(ShmLink::close);
        return host.peers().isEmpty();
    }

    private static int connectAndGiveUp(Path directory, SplittableRandom random, int times) throws Exception {
        int givenUp = 0;
        for (int i = 0; i < times; i++) {
            long patience = random.nextLong(2_000_000);
            Thread guest = Thread.currentThread();
            Thread interrupting = new Thread(() -> {
                LockSupport.parkNanos(patience);
                guest.interrupt();
            });
            try {
                if (i % 2 == 0) {
                    ShmGuest.connect(directory, Duration.ofNanos(patience)).close();
                } else {
                    interrupting.start();
                    ShmGuest.connect(directory).close();
                }
            } catch (InterruptedException | IOException given) {
                givenUp++;
            } finally {
                awaitEnd(interrupting);
            }
        }
        return givenUp;
    }

    /** Its interrupt may come now, too late for the guest. */
    private static void awaitEnd(Thread interrupting) throws InterruptedException {
        try {
            interrupting.join();
        } catch (InterruptedException late) {
            interrupting.join();
        }
        if (Thread.interrupted()) {
            interrupting.join();
        }
    }
}
