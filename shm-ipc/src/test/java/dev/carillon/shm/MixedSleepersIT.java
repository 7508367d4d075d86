package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.loop.EventLoop;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Futures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two processes, a small ring, and on each side one half that sleeps on a futex and one that listens for the bell. */
final class MixedSleepersIT {
    private static final int FRAMES = 2_000;

    /** Each third one needs the only slot of its size. */
    private static final int LENGTH = 1_000;

    @TempDir
    private Path folder;

    // r[verify shm.wait.sleep-word] r[verify shm.doorbell.ring-integration] r[verify shm.wait.event-counter]
    @ParameterizedTest
    @CsvSource({"true, true, ''", "true, false, ''", "false, true, ''", "false, false, ''", "true, true, futex"})
    void futexSleepersAndListenersOfBothSidesMissNothing(
            boolean hostSendsOnLoop, boolean guestSendsOnLoop, String without) throws Exception {
        Path out = folder.resolve("out");
        try (EventLoop loop = EventLoop.open().start();
                ShmHost host = ShmHost.create()) {
            PeerTicket ticket = host.addPeer(BareLink.SMALL);
            Spawn.Builder command = Spawn.command(ChildJvm.of(Guest.class)
                            .vmFlags("-Dcarillon.without=" + without)
                            .args(String.valueOf(guestSendsOnLoop))
                            .command())
                    .stdin(Stdio.nothing())
                    .stdout(Stdio.append(out))
                    .stderr(Stdio.append(out));
            Child child = host.spawn(command, ticket, loop);
            exchange(ticket.link(), loop, hostSendsOnLoop);
            assertEquals("exit code 0", Futures.get(child.exit()).toString(), () -> read(out));
        }
    }

    private static String read(Path out) {
        try {
            return Files.readString(out);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** One half on the loop, the other one in threads. */
    private static void exchange(ShmLink link, EventLoop loop, boolean sendsOnLoop) throws Exception {
        AsyncLink async = link.onLoop(loop);
        Waiting<Integer> sent = Waiting.on(() -> send(link, async, sendsOnLoop));
        for (int i = 0; i < FRAMES; i++) {
            Frame frame = sendsOnLoop ? link.receive(LONG) : Futures.get(async.receiveAsync());
            require(frame != null && frame.id() == i, i + ": " + frame);
            int length = i % 3 == 0 ? LENGTH : i % 80;
            require(
                    LinkPair.bytes(length, i)
                            .equals(Objects.requireNonNull(frame).payload()),
                    "bytes of " + i);
        }
        require(sent.result() == FRAMES, "not all were sent");
    }

    private static int send(ShmLink link, AsyncLink async, boolean onLoop) throws InterruptedException {
        for (int i = 0; i < FRAMES; i++) {
            Frame frame = Frame.of(1, i, LinkPair.bytes(i % 3 == 0 ? LENGTH : i % 80, i));
            SendResult result = onLoop ? Futures.get(async.sendAsync(frame)) : link.send(frame, LONG);
            require(result == SendResult.SENT, i + ": " + result);
        }
        return FRAMES;
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalStateException(otherwise);
        }
    }

    static final class Guest {
        public static void main(String[] args) throws Exception {
            try (EventLoop loop = EventLoop.open().start();
                    ShmLink link = ShmGuest.attachFromEnvironment()) {
                exchange(link, loop, Boolean.parseBoolean(args[0]));
            }
        }
    }
}
