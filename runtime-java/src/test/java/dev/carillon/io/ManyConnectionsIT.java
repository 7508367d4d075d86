package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Seeded;
import dev.carillon.test.proc.Descriptors;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Ten thousand connections at once, between two processes with one loop each. */
final class ManyConnectionsIT {
    private static final int CONNECTIONS = 10_000;

    /** What a VM has open beside the connections. */
    private static final int SPARE = 500;

    private static final Duration LIMIT = Duration.ofSeconds(90);

    @Test
    void tenThousandConnectionsAreOpenAtOnceAndEachGetsItsBytesBack(@Seeded long seed) throws Exception {
        long hard = hardLimit();
        Assumptions.assumeTrue(
                hard >= CONNECTIONS + SPARE,
                () -> "this process may have " + hard + " descriptors at most; " + (CONNECTIONS + SPARE)
                        + " are needed: raise the hard limit (ulimit -Hn, LimitNOFILE= of systemd)");
        try (ChildProcess server = limited(Server.class).start()) {
            int port = numberIn(server.awaitLine("listening", LIMIT), 1);
            long began = System.nanoTime();
            try (ChildProcess client = limited(Client.class)
                    .args(Integer.toString(port), Long.toString(seed))
                    .start()) {
                String open = client.awaitLine("open", LIMIT);
                server.writeLine("count");
                String counts = server.awaitLine("server", LIMIT);
                assertEquals(CONNECTIONS, numberIn(counts, 1), counts);
                assertTrue(numberIn(counts, 3) >= CONNECTIONS, counts);
                assertEquals(1, numberIn(counts, 5), () -> "one more thread than before, the loop's: " + counts);
                client.writeLine("echo");
                String echoed = client.awaitLine("echoed", LIMIT);
                assertEquals(0, client.awaitExit(LIMIT).code());
                server.writeLine("end");
                String after = server.awaitLine("left", LIMIT);
                assertEquals(0, numberIn(after, 1), after);
                assertEquals(0, numberIn(after, 3), after);
                assertEquals(0, server.awaitExit(LIMIT).code());
                System.out.println("10,000 connections: " + open + "; " + counts + "; " + echoed + "; " + after
                        + "; all in " + (System.nanoTime() - began) / 1_000_000 + " ms");
            }
        }
    }

    /** With the soft limit raised as far as it is needed. */
    private static ChildJvm limited(Class<?> main) {
        return ChildJvm.of(main)
                .vmFlags("-Xmx256m", "-XX:-MaxFDLimit")
                .prefix("sh", "-c", "ulimit -Sn " + (CONNECTIONS + SPARE) + " && exec \"$@\"", "sh");
    }

    private static long hardLimit() throws IOException {
        String line = Files.readAllLines(Path.of("/proc/self/limits")).stream()
                .filter(limit -> limit.startsWith("Max open files"))
                .findFirst()
                .orElseThrow();
        String hard = line.split("\\s+", -1)[4];
        return hard.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(hard);
    }

    /** The n-th word of a line, from 0. */
    private static int numberIn(String line, int n) {
        return Integer.parseInt(line.split(" ", -1)[n]);
    }

    /** The threads that are not the VM's own. */
    private static long threads() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getThreadGroup() == group)
                .count();
    }

    private static String line(BufferedReader input) throws IOException {
        return Objects.requireNonNull(input.readLine(), "the test has gone");
    }

    private static BufferedReader input() {
        return new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    }

    static final class Server {
        public static void main(String[] args) throws IOException {
            BufferedReader input = input();
            // Whatever the VM opens for the first loop stays open.
            EventLoop.open().close();
            int before = Descriptors.count();
            long threadsBefore = threads();
            try (EventLoop loop = EventLoop.open().start();
                    ServerSocket server = ServerSocket.bind(loop, LoopCase.localFour())) {
                Echoing echoing = Echoing.on(server, 1024);
                System.out.println("listening " + PeerCase.port(server.localAddress()));
                line(input);
                Deadline.after(LIMIT).await("all are accepted", () -> echoing.accepted() == CONNECTIONS);
                System.out.println("server " + echoing.accepted() + " descriptors " + Descriptors.count() + " threads "
                        + (threads() - threadsBefore));
                line(input);
                Deadline.after(LIMIT).await("all have ended", () -> echoing.ended() == CONNECTIONS);
            }
            // The loop is closed when it has let go of everything; its thread ends right after that.
            Deadline.after(LIMIT).await("the loop's thread has ended", () -> threads() == threadsBefore);
            System.out.println("left " + (Descriptors.count() - before) + " threads " + (threads() - threadsBefore));
        }
    }

    static final class Client {
        /** Fewer than the server's backlog holds, or the kernel drops some and tries again a second later. */
        private static final int AT_ONCE = 500;

        public static void main(String[] args) throws Exception {
            BufferedReader input = input();
            SocketAddress address = PeerCase.at(LoopCase.localFour(), Integer.parseInt(args[0]));
            SplittableRandom random = new SplittableRandom(Long.parseLong(args[1]));
            try (EventLoop loop = EventLoop.open().start()) {
                List<StreamSocket> sockets = connect(loop, address);
                System.out.println(
                        "open " + sockets.size() + " descriptors " + Descriptors.count() + " threads " + threads());
                line(input);
                CountDownLatch left = new CountDownLatch(sockets.size());
                List<Exchange> exchanges = sockets.stream()
                        .map(socket -> new Exchange(socket, random.split(), left))
                        .toList();
                exchanges.forEach(Exchange::begin);
                assertTrue(left.await(LIMIT.toSeconds(), TimeUnit.SECONDS), () -> left.getCount() + " without answer");
                long bytes = exchanges.stream().mapToLong(Exchange::verified).sum();
                System.out.println("echoed " + exchanges.size() + " connections " + bytes + " bytes");
            }
        }

        private static List<StreamSocket> connect(EventLoop loop, SocketAddress address) throws InterruptedException {
            Semaphore places = new Semaphore(AT_ONCE);
            List<CompletableFuture<StreamSocket>> connecting = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                places.acquire();
                CompletableFuture<StreamSocket> future = StreamSocket.connect(loop, address);
                var unused = future.whenComplete((socket, failure) -> places.release());
                connecting.add(future);
            }
            return connecting.stream().map(LoopCase::get).toList();
        }
    }

    /** Sends some bytes, reads as many, and compares their checksums. */
    private static final class Exchange {
        private final StreamSocket socket;
        private final ByteBuffer out;
        private final ByteBuffer in;
        private final CountDownLatch left;

        Exchange(StreamSocket socket, SplittableRandom random, CountDownLatch left) {
            this.socket = socket;
            byte[] content = PeerCase.randomBytes(random, 4_000);
            this.out = ByteBuffer.wrap(content);
            this.in = ByteBuffer.allocate(content.length);
            this.left = left;
        }

        void begin() {
            socket.writeAll(out, Operation.of(done -> {}));
            socket.readSome(in, Operation.of(done -> {
                if (done.failure() == null && done.result() > 0 && in.hasRemaining()) {
                    socket.readSome(in, done);
                } else {
                    socket.close();
                    left.countDown();
                }
            }));
        }

        /** How many bytes came back as they went. */
        int verified() {
            assertEquals(checksum(out), checksum(in));
            return in.position();
        }

        private static long checksum(ByteBuffer buffer) {
            CRC32 sum = new CRC32();
            sum.update(buffer.duplicate().flip());
            return sum.getValue();
        }
    }
}
