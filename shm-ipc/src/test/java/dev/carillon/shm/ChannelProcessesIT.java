package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LONG;
import static dev.carillon.shm.LinkPair.NO_TIME;
import static dev.carillon.shm.LinkPair.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Futures;
import dev.carillon.test.Jdk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Channels to a guest that is another VM. */
final class ChannelProcessesIT {
    private static final int FRAMES = 10_000;
    private static final int LONGEST = 1_500;
    private static final long WINDOW = 4_000;

    private static final LinkConfig SMALL =
            LinkConfig.builder().ring(256).slots(2048, 16).window(WINDOW).build();

    @TempDir
    private Path folder;

    private final EventLoop loop = EventLoop.open().start();

    @AfterEach
    void closeLoop() {
        loop.close();
    }

    static Stream<Jdk> jdks() {
        return Stream.concat(Stream.of(Jdk.current()), Jdk.second().stream()).distinct();
    }

    private String output() {
        try {
            return Files.readString(folder.resolve("out"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    // r[verify shm.credit] r[verify shm.wakeup.credit-wait]
    @ParameterizedTest
    @MethodSource("jdks")
    void aChildFillsAWindowAndSleepsUntilItsHostReceives(Jdk jdk) throws Exception {
        // A VM may take long to start.
        try (ShmHost host = ShmHost.create(HostConfig.builder().reserveFor(LONG).build())) {
            PeerTicket ticket = host.addPeer(SMALL);
            ShmLink link = ticket.link();
            Spawn.Builder command = Spawn.command(
                            ChildJvm.of(Sender.class).jdk(jdk).command())
                    .stdin(Stdio.nothing())
                    .stdout(Stdio.append(folder.resolve("out")))
                    .stderr(Stdio.append(folder.resolve("out")));
            Child child = host.spawn(command, ticket, loop);
            ShmChannel data = accept(link);
            ShmChannel news = accept(link);
            assertEquals(WINDOW, received(news).id(), "so much was sent on the other channel, and then no more");
            for (int i = 0; i < FRAMES; i++) {
                Frame frame = received(data);
                assertEquals(i, frame.id());
                assertEquals(bytes(i % LONGEST, i), frame.payload(), () -> "frame " + frame);
            }
            assertNull(data.receive(LONG), "after the close");
            assertTrue(data.hasEnded());
            assertEquals(SendResult.SENT, news.send(Frame.of(1, 0, bytes(0, 0)), LONG));
            assertEquals("exit code 0", Futures.get(child.exit()).toString(), this::output);
        }
    }

    private ShmChannel accept(ShmLink link) throws InterruptedException {
        return Objects.requireNonNull(link.acceptChannel(LONG), this::output);
    }

    private Frame received(ShmChannel channel) throws InterruptedException {
        return Objects.requireNonNull(channel.receive(LONG), this::output);
    }

    /** Uses up its credit on one channel, tells so on another one, and goes on when it has credit again. */
    static final class Sender {
        public static void main(String[] args) throws InterruptedException {
            try (ShmLink link = ShmGuest.attachFromEnvironment()) {
                ShmChannel data = link.openChannel();
                ShmChannel news = link.openChannel();
                require(data.awaitCredit(WINDOW, LONG) == CreditResult.GRANTED, "no credit");
                int sent = 0;
                long cost = 0;
                while (data.trySend(frame(sent)) == SendResult.SENT) {
                    cost += ShmChannel.cost(sent % LONGEST);
                    sent++;
                }
                require(data.trySend(frame(sent)) == SendResult.NO_CREDIT, "not for lack of credit");
                require(cost + data.credit() == WINDOW, "the window is not " + WINDOW);
                require(data.send(frame(sent), NO_TIME) == SendResult.NO_CREDIT, "credit without a receiver");
                news.send(Frame.of(1, cost + data.credit(), bytes(0, 0)), LONG);
                for (int i = sent; i < FRAMES; i++) {
                    SendResult result = data.send(frame(i), LONG);
                    require(result == SendResult.SENT, i + ": " + result);
                }
                data.close();
                require(news.receive(LONG) != null, "no answer");
            }
        }

        private static Frame frame(int i) {
            return Frame.of(1, i, bytes(i % LONGEST, i));
        }

        private static void require(boolean holds, String otherwise) {
            if (!holds) {
                throw new IllegalStateException(otherwise);
            }
        }
    }
}
