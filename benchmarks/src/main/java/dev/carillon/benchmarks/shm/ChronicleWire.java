package dev.carillon.benchmarks.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;

/** Chronicle Queue, in files that are memory: messages are written and read in place. It keeps all that was ever sent. */
final class ChronicleWire implements Wire {
    /** What it needs from a JDK since 17, and no news about its use to its makers. */
    static final List<String> FLAGS = List.of(
            "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-opens=java.base/java.io=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "-Dchronicle.analytics.disable=true",
            "-Dchronicle.announcer.disable=true");

    @Override
    public Outlet outlet(Traffic traffic) throws IOException {
        return new Sender(SharedFolder.newFile("chronicle"));
    }

    @Override
    public Inlet inlet(Traffic traffic, String address) {
        return new Reader(open(Path.of(address)));
    }

    private static ChronicleQueue open(Path folder) {
        return SingleChronicleQueueBuilder.single(folder.toString()).build();
    }

    private static final class Sender implements Outlet {
        private final Path folder;
        private final ChronicleQueue queue;
        private final ExcerptAppender appender;

        Sender(Path folder) {
            this.folder = folder;
            queue = open(folder);
            appender = queue.createAppender();
        }

        @Override
        public String address() {
            return folder.toString();
        }

        @Override
        public void send(long first, int count, Patience patience) {
            for (int i = 0; i < count; i++) {
                send(first + i);
            }
        }

        private void send(long number) {
            try (DocumentContext message = appender.writingDocument()) {
                Bytes<?> bytes = message.wire().bytes();
                for (int i = 0; i < 8; i++) {
                    bytes.writeLong(number + i);
                }
            }
        }

        @Override
        public void close() throws IOException {
            appender.close();
            queue.close();
            try (Stream<Path> files = Files.walk(folder)) {
                files.sorted(Comparator.reverseOrder()).forEach(Sender::delete);
            }
        }

        private static void delete(Path file) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static final class Reader implements Inlet {
        private final ChronicleQueue queue;
        private final ExcerptTailer tailer;

        Reader(ChronicleQueue queue) {
            this.queue = queue;
            tailer = queue.createTailer();
        }

        @Override
        public int receive(int most, Tally tally) {
            int count = 0;
            while (count < most && receive(tally)) {
                count++;
            }
            return count;
        }

        private boolean receive(Tally tally) {
            try (DocumentContext message = tailer.readingDocument()) {
                if (!message.isPresent()) {
                    return false;
                }
                Bytes<?> bytes = message.wire().bytes();
                long number = bytes.readLong();
                long sum = number;
                for (int i = 1; i < 8; i++) {
                    sum += bytes.readLong();
                }
                tally.message(number, sum);
                return true;
            }
        }

        @Override
        public void close() {
            tailer.close();
            queue.close();
        }
    }
}
