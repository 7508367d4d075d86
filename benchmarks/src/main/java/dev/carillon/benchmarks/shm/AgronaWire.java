package dev.carillon.benchmarks.shm;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.agrona.IoUtil;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/** Agrona's ring for one sender and one receiver, over a mapped file: a message is claimed, written there, committed. */
final class AgronaWire implements Wire {
    /** Options for the VM that its makers advise. */
    static final List<String> FLAGS =
            List.of("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-Dagrona.disable.bounds.checks=true");

    /** Room for more messages than a link's ring has entries. */
    private static final int CAPACITY = 1 << 16;

    private static final int TYPE = 1;

    @Override
    public Outlet outlet(Traffic traffic) throws IOException {
        Path file = SharedFolder.newFile("agrona");
        UnsafeBuffer buffer =
                new UnsafeBuffer(IoUtil.mapNewFile(file.toFile(), CAPACITY + RingBufferDescriptor.TRAILER_LENGTH));
        return new Sender(file, buffer);
    }

    @Override
    public Inlet inlet(Traffic traffic, String address) throws IOException {
        try (FileChannel file = FileChannel.open(Path.of(address), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new Reader(new UnsafeBuffer(file.map(FileChannel.MapMode.READ_WRITE, 0, file.size())));
        }
    }

    private static final class Sender implements Outlet {
        private final Path file;
        private final UnsafeBuffer buffer;
        private final OneToOneRingBuffer ring;

        Sender(Path file, UnsafeBuffer buffer) {
            this.file = file;
            this.buffer = buffer;
            ring = new OneToOneRingBuffer(buffer);
        }

        @Override
        public String address() {
            return file.toString();
        }

        @Override
        public void send(long first, int count, Patience patience) throws TimeoutException {
            for (int i = 0; i < count; i++) {
                int at = ring.tryClaim(TYPE, 64);
                while (at < 0) {
                    patience.again();
                    at = ring.tryClaim(TYPE, 64);
                }
                Stamps.put(buffer, at, first + i);
                ring.commit(at);
            }
        }

        @Override
        public void close() throws IOException {
            IoUtil.unmap(buffer.byteBuffer());
            Files.delete(file);
        }
    }

    private static final class Reader implements Inlet {
        private final UnsafeBuffer buffer;
        private final OneToOneRingBuffer ring;
        private Tally tally = new Tally();
        private final MessageHandler handler =
                (type, from, at, length) -> tally.message(from.getLong(at), Stamps.sum(from, at));

        Reader(UnsafeBuffer buffer) {
            this.buffer = buffer;
            ring = new OneToOneRingBuffer(buffer);
        }

        @Override
        public int receive(int most, Tally into) {
            tally = into;
            return ring.read(handler, most);
        }

        @Override
        public void close() {
            IoUtil.unmap(buffer.byteBuffer());
        }
    }
}
