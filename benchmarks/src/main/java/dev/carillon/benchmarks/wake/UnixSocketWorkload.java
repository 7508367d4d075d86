package dev.carillon.benchmarks.wake;

import dev.carillon.benchmarks.worker.Figures;
import dev.carillon.benchmarks.worker.Stage;
import dev.carillon.benchmarks.worker.Work;
import dev.carillon.benchmarks.worker.Workload;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The JDK's Unix sockets, blocking, one byte each way. */
public final class UnixSocketWorkload implements Workload {
    @Override
    public Map<String, Opener> works() {
        Opener opener = stage -> WakeWorkload.warm(new Trip(stage));
        return Map.of("futex", opener, "event-count", opener, "doorbell", opener);
    }

    private static final class Trip implements Work {
        private final SocketChannel mine;
        private final SocketChannel theirs;
        private final ByteBuffer myByte = ByteBuffer.allocateDirect(1);
        private final ByteBuffer theirByte = ByteBuffer.allocateDirect(1);
        private final Partner partner;

        Trip(Stage stage) throws IOException {
            Path path = Files.createTempDirectory("wake").resolve("socket");
            try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                server.bind(UnixDomainSocketAddress.of(path));
                mine = SocketChannel.open(UnixDomainSocketAddress.of(path));
                theirs = server.accept();
            } finally {
                Files.deleteIfExists(path);
                Files.deleteIfExists(path.getParent());
            }
            partner = Partner.start(stage, () -> {
                theirs.read(theirByte.clear());
                theirs.write(theirByte.flip());
            });
        }

        @Override
        public void round(long ops, Figures figures) throws IOException {
            long start = System.nanoTime();
            for (long i = 0; i < ops; i++) {
                mine.write(myByte.clear());
                mine.read(myByte.clear());
            }
            figures.nanos(System.nanoTime() - start);
        }

        @Override
        public void close() {
            partner.stopAfterNext();
            try {
                mine.write(myByte.clear());
                partner.join();
                mine.close();
                theirs.close();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }
}
