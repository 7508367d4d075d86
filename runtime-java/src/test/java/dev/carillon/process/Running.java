package dev.carillon.process;

import static dev.carillon.test.Futures.get;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ExitStatus;
import dev.carillon.io.Descriptor;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** What tests do with children. */
final class Running {
    static final Duration LIMIT = Duration.ofSeconds(30);

    private Running() {}

    static ExitStatus exitOf(Child child) {
        return get(child.exit());
    }

    static String all(Descriptor end) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(4_096);
        while (get(end.readSomeAsync(buffer)) >= 0) {
            text.write(buffer.array(), 0, buffer.position());
            buffer.clear();
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    /** What a child prints until its end, which has to be a success. */
    static List<String> linesOf(Spawn.Builder command, dev.carillon.loop.EventLoop loop) {
        try (Child child = command.stdout(Stdio.pipe()).start(loop)) {
            List<String> lines = all(child.stdout()).lines().toList();
            ExitStatus status = exitOf(child);
            if (!status.isSuccess()) {
                throw new AssertionError(command + " ended with " + status + " after " + lines);
            }
            return lines;
        }
    }

    static void assertMessage(Throwable thrown, String part) {
        assertTrue(String.valueOf(thrown.getMessage()).contains(part), thrown::toString);
    }
}
