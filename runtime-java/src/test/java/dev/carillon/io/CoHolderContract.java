package dev.carillon.io;

import static dev.carillon.sys.layout.Constants.O_NONBLOCK;
import static dev.carillon.sys.layout.Constants.O_RDWR;
import static dev.carillon.sys.layout.Constants.SOCK_STREAM;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopCase;
import dev.carillon.sys.Fd;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildProcess;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** O_NONBLOCK belongs to all who hold a descriptor: one who clears it does not hold up the loop of another. */
abstract class CoHolderContract extends LoopCase {
    private static final int LARGE = 4 << 20;

    private final Sys sys = Sys.get();

    private void mayBlock(int number) {
        sys.descriptors().setNonBlocking(number, false);
    }

    /** The loop goes on: what it is asked it answers. */
    private static void assertAlive(EventLoop loop) {
        for (int i = 0; i < 3; i++) {
            CompletableFuture<Boolean> answer = new CompletableFuture<>();
            loop.execute(() -> answer.complete(true));
            try {
                assertTrue(answer.get(LIMIT.toSeconds(), TimeUnit.SECONDS));
            } catch (Exception e) {
                throw new AssertionError("the loop hangs in a call", e);
            }
        }
    }

    /** Two ends; the flag is cleared again and again, as one operation after the other has to wait. */
    private void assertLoopGoesOn(EventLoop loop, StreamHandle writer, StreamHandle reader, Runnable clear) {
        clear.run();
        CompletableFuture<Integer> read = reader.readSomeAsync(ByteBuffer.allocateDirect(16));
        CompletableFuture<Integer> gathered =
                reader.readSomeAsync(ByteBuffer.allocateDirect(16), ByteBuffer.allocate(16));
        assertAlive(loop);
        clear.run();
        assertEquals(2, get(writer.writeSomeAsync(LoopCase.bytes("ab"))));
        assertEquals(2, get(read));
        assertAlive(loop);
        assertEquals(2, get(writer.writeSomeAsync(LoopCase.bytes("c"), LoopCase.direct("d"))));
        assertEquals(2, get(gathered));
        clear.run();
        CompletableFuture<Long> all = writer.writeAllAsync(ByteBuffer.allocateDirect(LARGE));
        CompletableFuture<Long> parts =
                writer.writeAllAsync(ByteBuffer.allocateDirect(LARGE), ByteBuffer.allocate(LARGE));
        assertAlive(loop);
        long left = 3L * LARGE;
        ByteBuffer sink = ByteBuffer.allocateDirect(1 << 20);
        while (left > 0) {
            clear.run();
            left -= get(reader.readSomeAsync(sink.clear()));
        }
        assertEquals(LARGE, get(all));
        assertEquals(2L * LARGE, get(parts));
    }

    private Fd[] adoptable(Fd[] ends) {
        return new Fd[] {
            sys.descriptors().duplicateFrom(ends[0].acquire(), 0),
            sys.descriptors().duplicateFrom(ends[1].acquire(), 0)
        };
    }

    private void assertAdoptedEndsGoOn(Fd[] ends) {
        EventLoop loop = started();
        Fd[] copies = adoptable(ends);
        int[] numbers = {copies[0].acquire(), copies[1].acquire()};
        Descriptor reader = Descriptor.adopt(loop, ends[0].acquire());
        Descriptor writer = Descriptor.adopt(loop, ends[1].acquire());
        assertLoopGoesOn(loop, writer, reader, () -> {
            mayBlock(numbers[0]);
            mayBlock(numbers[1]);
        });
        get(reader.closeAsync());
        get(writer.closeAsync());
        for (Fd copy : copies) {
            copy.release();
            copy.close();
        }
    }

    // r[verify io.shared-flag]
    @Test
    void anAdoptedSocketThatACoHolderLetsBlockDoesNotHangTheLoop() {
        assertAdoptedEndsGoOn(sys.sockets().pair(SOCK_STREAM));
    }

    // r[verify io.shared-flag]
    @Test
    void anAdoptedPipeThatACoHolderLetsBlockDoesNotHangTheLoop() {
        assertAdoptedEndsGoOn(sys.descriptors().pipe(true));
    }

    // r[verify io.shared-flag]
    @Test
    void aNamedPipeThatACoHolderLetsBlockDoesNotHangTheLoop(@TempDir Path folder) throws Exception {
        Path path = folder.resolve("pipe");
        try (ChildProcess made = ChildCommand.of("mkfifo", path.toString()).start()) {
            assertEquals(0, made.awaitExit(Duration.ofSeconds(20)).code());
        }
        assertAdoptedEndsGoOn(new Fd[] {
            sys.files().open(path.toString(), O_RDWR | O_NONBLOCK, 0),
            sys.files().open(path.toString(), O_RDWR | O_NONBLOCK, 0)
        });
    }

    // r[verify io.shared-flag]
    @Test
    void aConnectionThatWasPassedToOneWhoLetsItBlockDoesNotHangTheLoop() {
        EventLoop loop = started();
        List<StreamSocket> pair = StreamSocket.pair(loop);
        pair.forEach(this::closeLater);
        assertLoopGoesOn(loop, pair.get(0), pair.get(1), () -> pair.forEach(socket -> mayBlock(socket.number())));
        ServerSocket server = closeLater(ServerSocket.bind(loop, localFour()));
        CompletableFuture<StreamSocket> accepted = server.acceptAsync();
        StreamSocket client = closeLater(get(StreamSocket.connect(loop, server.localAddress())));
        StreamSocket peer = closeLater(get(accepted));
        assertLoopGoesOn(loop, client, peer, () -> {
            mayBlock(client.number());
            mayBlock(peer.number());
        });
    }

    // r[verify io.shared-flag]
    @Test
    void datagramsAndDescriptorsOfSocketsThatMayBlockDoNotHangTheLoop() {
        EventLoop loop = started();
        DatagramSocket to = closeLater(DatagramSocket.bind(loop, localFour()));
        DatagramSocket from = closeLater(DatagramSocket.connect(loop, Objects.requireNonNull(to.localAddress())));
        mayBlock(to.number());
        mayBlock(from.number());
        CompletableFuture<Datagram> received = to.receiveAsync(ByteBuffer.allocate(8));
        assertAlive(loop);
        get(from.sendAsync(LoopCase.bytes("x")));
        assertEquals(1, get(received).length());
        List<StreamSocket> pair = StreamSocket.pair(loop);
        pair.forEach(this::closeLater);
        pair.forEach(socket -> mayBlock(socket.number()));
        CompletableFuture<ReceivedDescriptors> passed = pair.get(1).receiveDescriptorsAsync(ByteBuffer.allocate(8), 1);
        assertAlive(loop);
        get(pair.get(0).sendDescriptorsAsync(LoopCase.bytes("x"), to.number()));
        get(passed).descriptors().forEach(PassedDescriptor::close);
    }

    /** One who shares it, such as a child that inherited it, lets it block: there is nobody to be accepted. */
    // r[verify io.shared-flag]
    @Test
    void aListenerThatACoHolderLetsBlockDoesNotHangTheLoop(@TempDir Path folder) {
        for (SocketAddress at : List.of(localFour(), UnixDomainSocketAddress.of(folder.resolve("listener")))) {
            EventLoop loop = started();
            ServerSocket server = closeLater(ServerSocket.bind(loop, at));
            Fd copy = sys.descriptors().duplicateFrom(server.number(), 0);
            int number = copy.acquire();
            mayBlock(number);
            List<CompletableFuture<StreamSocket>> accepted = List.of(server.acceptAsync(), server.acceptAsync());
            assertAlive(loop);
            for (CompletableFuture<StreamSocket> accept : accepted) {
                mayBlock(number);
                closeLater(get(StreamSocket.connect(loop, server.localAddress())));
                closeLater(get(accept));
                assertAlive(loop);
            }
            assertEquals(1, errors.size(), errors::toString);
            assertMessage(errors.poll(), server + ": somebody who shares it");
            copy.release();
            copy.close();
        }
    }
}
