package dev.carillon.io;

import static dev.carillon.io.StreamContract.direct;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.AbstractSocketAddress;
import dev.carillon.SyscallException;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.sys.FileNames;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Deadline;
import dev.carillon.test.Jdk;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Datagrams. */
abstract class DatagramContract extends LoopCase {
    private void travels(SocketAddress one, SocketAddress two) {
        EventLoop loop = started();
        DatagramSocket left = closeLater(DatagramSocket.bind(loop, one));
        DatagramSocket right = closeLater(DatagramSocket.bind(loop, two));
        SocketAddress to = Objects.requireNonNull(right.localAddress());
        ByteBuffer buffer = ByteBuffer.allocate(64);
        CompletableFuture<Datagram> receiving = right.receiveAsync(buffer);
        assertEquals(4, get(left.sendAsync(LoopCase.bytes("ping"), to)));
        assertEquals(new Datagram(4, left.localAddress(), false), get(receiving));
        assertEquals("ping", LoopCase.text(buffer));
        get(left.sendAsync(direct("0123456789"), to));
        ByteBuffer small = ByteBuffer.allocateDirect(4);
        Datagram cut = get(right.receiveAsync(small));
        assertTrue(cut.isTruncated());
        assertEquals(10, cut.length());
        assertEquals("0123", LoopCase.text(small));
        DatagramSocket connected = closeLater(DatagramSocket.connect(loop, to));
        assertEquals(3, get(connected.sendAsync(LoopCase.bytes("abc"))));
        assertEquals(3, get(right.receiveAsync(buffer.clear())).length());
        assertFalse(buffer.position() == 0);
    }

    @Test
    void udpOverVersionFourTravels() throws Exception {
        InetSocketAddress any = localFour();
        travels(any, any);
    }

    @Test
    void udpOverVersionSixTravels() throws Exception {
        InetSocketAddress any = localSix();
        travels(any, any);
    }

    /** The number is true: so many bytes go, and not one more. */
    @Test
    void aUnixDatagramThatIsTooLongSaysHowManyBytesGo(@TempDir Path folder) {
        EventLoop loop = started();
        SocketAddress to = UnixDomainSocketAddress.of(folder.resolve("a"));
        DatagramSocket receiver = closeLater(DatagramSocket.bind(loop, to));
        DatagramSocket sender = closeLater(DatagramSocket.connect(loop, to));
        String told = String.valueOf(
                failureOf(sender.sendAsync(ByteBuffer.allocate(64 << 20))).getMessage());
        assertTrue(told.contains("takes one of "), told);
        int most = Integer.parseInt(told.replaceAll(".*takes one of (\\d+) bytes at most.*", "$1"));
        assertMessage(
                failureOf(sender.sendAsync(ByteBuffer.allocate(most + 1))), "takes one of " + most + " bytes at most");
        assertEquals(most, get(sender.sendAsync(ByteBuffer.allocateDirect(most))));
        assertEquals(most, get(receiver.receiveAsync(ByteBuffer.allocate(most))).length());
    }

    @Test
    void unixDatagramsTravel(@TempDir Path folder) {
        travels(UnixDomainSocketAddress.of(folder.resolve("a")), UnixDomainSocketAddress.of(folder.resolve("b")));
    }

    @Test
    void aDatagramThatIsTooLongFails() throws Exception {
        EventLoop loop = started();
        InetSocketAddress any = localFour();
        DatagramSocket socket = closeLater(DatagramSocket.bind(loop, any));
        SocketAddress to = Objects.requireNonNull(socket.localAddress());
        for (ByteBuffer tooLong : List.of(ByteBuffer.allocateDirect(70_000), ByteBuffer.allocate(70_000))) {
            SyscallException failure =
                    assertInstanceOf(SyscallException.class, failureOf(socket.sendAsync(tooLong, to)));
            assertEquals("EMSGSIZE", failure.errnoName());
        }
    }

    @Test
    void aDatagramLongerThanScratchMemoryTravelsInHeapBuffers() {
        EventLoop loop = open(options().scratch(4096));
        loop.start();
        DatagramSocket right = closeLater(DatagramSocket.bind(loop, name("right")));
        DatagramSocket left = closeLater(DatagramSocket.bind(loop, name("left")));
        for (int length : new int[] {4095, 4096, 4097, 100_000}) {
            byte[] content = new byte[length];
            new SplittableRandom(length).nextBytes(content);
            assertEquals(length, get(left.sendAsync(ByteBuffer.wrap(content), name("right"))));
            ByteBuffer buffer = ByteBuffer.allocate(120_000);
            assertEquals(new Datagram(length, name("left"), false), get(right.receiveAsync(buffer)));
            assertArrayEquals(content, Arrays.copyOf(buffer.array(), buffer.position()));
        }
    }

    @Test
    void anEmptyDatagramTravels() throws Exception {
        EventLoop loop = started();
        for (SocketAddress any : List.of(localFour(), name("empty"))) {
            DatagramSocket socket = closeLater(DatagramSocket.bind(loop, any));
            SocketAddress self = Objects.requireNonNull(socket.localAddress());
            for (ByteBuffer nothing : List.of(ByteBuffer.allocate(0), ByteBuffer.allocateDirect(0))) {
                assertEquals(0, get(socket.sendAsync(nothing, self)));
                assertEquals(new Datagram(0, self, false), get(socket.receiveAsync(ByteBuffer.allocate(8))));
            }
        }
    }

    // r[verify sys.names]
    @Test
    void aSenderOfAnyNameIsKnownAndCanBeAnswered(@TempDir Path folder) {
        EventLoop loop = started();
        DatagramSocket receiver = closeLater(DatagramSocket.bind(loop, name("any-name")));
        String own = "carillon-" + ProcessHandle.current().pid() + "-";
        byte[] odd = (own + "\u00ff-\0").getBytes(StandardCharsets.ISO_8859_1);
        List<SocketAddress> names = List.of(
                AbstractSocketAddress.of(odd),
                AbstractSocketAddress.of(new byte[1]),
                AbstractSocketAddress.of(new byte[0]),
                UnixDomainSocketAddress.of(folder.resolve("\u00e4")));
        for (SocketAddress any : names) {
            DatagramSocket sender = boundOnceFree(loop, any);
            assertEquals(any, sender.localAddress());
            assertEquals(4, get(sender.sendAsync(direct("ding"), name("any-name"))));
            Datagram received = get(receiver.receiveAsync(ByteBuffer.allocate(8)));
            assertEquals(new Datagram(4, any, false), received);
            assertEquals(4, get(receiver.sendAsync(direct("dong"), any)));
            assertEquals(4, get(sender.receiveAsync(ByteBuffer.allocate(8))).length());
        }
    }

    /** Another run of these tests on this machine may have the shortest abstract names just now. */
    private DatagramSocket boundOnceFree(EventLoop loop, SocketAddress name) {
        List<DatagramSocket> bound = new ArrayList<>();
        Deadline.after(LIMIT).await(name + " is free", () -> {
            try {
                bound.add(closeLater(DatagramSocket.bind(loop, name)));
                return true;
            } catch (SyscallException inUse) {
                assertEquals("EADDRINUSE", inUse.errnoName());
                return false;
            }
        });
        return bound.get(0);
    }

    @Test
    void underTheLocaleCNoNameOfASenderLosesItsDatagram(@TempDir Path temporary) throws Exception {
        for (Jdk jdk :
                Stream.concat(Stream.of(Jdk.current()), Jdk.second().stream()).toList()) {
            Path folder = Files.createTempDirectory(temporary, "names");
            try (ChildProcess child = ChildJvm.of(Named.class)
                    .jdk(jdk)
                    .args(folder.toString())
                    .environment("LC_ALL", "C")
                    .start()) {
                ChildExit exit = child.awaitExit(Duration.ofSeconds(30));
                assertEquals(List.of("dong"), exit.stdout(), exit::toString);
            }
        }
    }

    /** Answers a sender whose name is no text of its locale. */
    static final class Named {
        private Named() {}

        public static void main(String[] args) {
            Path folder = Path.of(args[0]);
            EventLoop loop = EventLoop.open().start();
            SocketAddress odd = UnixDomainSocketAddress.of(
                    folder.resolve(FileNames.pathOf(new byte[] {(byte) 0xc3, (byte) 0xa4, (byte) 0xff})));
            SocketAddress plain = UnixDomainSocketAddress.of(folder.resolve("plain"));
            DatagramSocket sender = DatagramSocket.bind(loop, odd);
            DatagramSocket receiver = DatagramSocket.bind(loop, plain);
            get(sender.sendAsync(direct("ding"), plain));
            Datagram received = get(receiver.receiveAsync(ByteBuffer.allocate(8)));
            get(receiver.sendAsync(direct("dong"), Objects.requireNonNull(received.sender())));
            ByteBuffer answer = ByteBuffer.allocate(8);
            get(sender.receiveAsync(answer));
            System.out.println(LoopCase.text(answer));
            loop.close();
        }
    }

    // r[verify io.send-full]
    @Test
    void whoSendsToAFullReceiverWaitsWithoutSpinning() throws Exception {
        EventLoop loop = started();
        DatagramSocket receiver = closeLater(DatagramSocket.bind(loop, name("full")));
        DatagramSocket sender = closeLater(DatagramSocket.bind(loop, name("sender")));
        List<CompletableFuture<Integer>> sends = new ArrayList<>();
        ByteBuffer message = direct("message");
        // Until one has to wait; what is accepted at once is done when a task behind it has run.
        do {
            sends.add(sender.sendAsync(message.duplicate(), name("full")));
            on(loop, () -> null);
            on(loop, () -> null);
        } while (sends.get(sends.size() - 1).isDone() && sends.size() < 100_000);
        CompletableFuture<Integer> waiting = sends.get(sends.size() - 1);
        long before = loop.stats().iterations();
        CompletableFuture<Long> then = new CompletableFuture<>();
        // The loop looks by itself, since this thread may come late.
        loop.schedule(Duration.ofMillis(300), () -> {
            then.complete(loop.stats().iterations());
        });
        // Pauses of 1 to 50 ms are some 10 tries; without one there were 200,000 a second.
        long iterations = get(then) - before;
        assertTrue(iterations < 200, () -> "iterations=" + iterations);
        assertFalse(waiting.isDone());
        get(receiver.receiveAsync(ByteBuffer.allocate(16)));
        assertEquals(7, get(waiting));
    }

    /** An abstract name of this test alone. */
    private static SocketAddress name(String end) {
        return AbstractSocketAddress.of(
                "carillon-test-" + ProcessHandle.current().pid() + "-" + end);
    }
}
