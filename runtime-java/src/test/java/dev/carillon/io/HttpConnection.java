package dev.carillon.io;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.LoopCase;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** As much of HTTP/1.1 as tests with foreign programs need, on a socket of ours. Waits, so not for a loop thread. */
final class HttpConnection {
    private static final Pattern LENGTH = Pattern.compile("\ncontent-length: (\\d+)\r");

    private final StreamSocket socket;
    private final ByteBuffer buffer = ByteBuffer.allocate(1 << 16);

    /** What was read and not used yet, a character for each byte. */
    private final StringBuilder read = new StringBuilder();

    HttpConnection(StreamSocket socket) {
        this.socket = socket;
    }

    /**
     * A request or an answer.
     *
     * @param line the first line
     * @param body of the length that the head tells, a character for each byte
     */
    record Message(String line, String body) {
        byte[] bytes() {
            return body.getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    /** The next one that comes. */
    Message next() {
        int end;
        while ((end = read.indexOf("\r\n\r\n")) < 0) {
            readMore();
        }
        String head = take(end + 4);
        String lower = head.toLowerCase(Locale.ROOT);
        Matcher length = LENGTH.matcher(lower);
        int size = length.find() ? Integer.parseInt(length.group(1)) : 0;
        if (lower.contains("\nexpect: 100-continue")) {
            write("HTTP/1.1 100 Continue\r\n\r\n", new byte[0]);
        }
        while (read.length() < size) {
            readMore();
        }
        return new Message(head.lines().findFirst().orElseThrow(), take(size));
    }

    void ask(String path) {
        write("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n", new byte[0]);
    }

    void answer(String status, byte[] body) {
        write("HTTP/1.1 " + status + "\r\nContent-Length: " + body.length + "\r\n\r\n", body);
    }

    private void write(String head, byte[] body) {
        LoopCase.get(socket.writeAllAsync(
                ByteBuffer.wrap(head.getBytes(StandardCharsets.ISO_8859_1)), ByteBuffer.wrap(body)));
    }

    private String take(int count) {
        String taken = read.substring(0, count);
        read.delete(0, count);
        return taken;
    }

    private void readMore() {
        int count = LoopCase.get(socket.readSomeAsync(buffer.clear()));
        assertTrue(count > 0, () -> "the other side ended early, after: " + read);
        read.append(StandardCharsets.ISO_8859_1.decode(buffer.flip()));
    }
}
