package dev.carillon.admin;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/** Writes what it likes, and reads what comes. */
final class RawClient implements AutoCloseable {
    final Socket socket;

    RawClient(SignalEndpoint endpoint) throws IOException {
        socket = new Socket(endpoint.address().getAddress(), endpoint.address().getPort());
        socket.setSoTimeout((int) EndpointCase.LIMIT.toMillis());
    }

    static String head(int length) {
        return "POST /admin/signal HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + EndpointCase.TOKEN
                + "\r\nContent-Type: application/json\r\nContent-Length: " + length + "\r\n";
    }

    /** A whole request. */
    static String request(String body) {
        return head(body.getBytes(StandardCharsets.UTF_8).length) + "\r\n" + body;
    }

    RawClient write(String text) throws IOException {
        return write(text.getBytes(StandardCharsets.UTF_8));
    }

    RawClient write(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        return this;
    }

    /** All until the server closes. */
    String readAll() throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** As {@link #readAll}, but the close may be a reset: that is what comes of one that has not read all. */
    String readUntilCutOff() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            socket.getInputStream().transferTo(all);
        } catch (SocketException reset) {
            // What came before it counts.
        }
        return all.toString(StandardCharsets.UTF_8);
    }

    /** The status of one answer; 0 if the connection was closed without one. */
    int status() throws IOException {
        String answer = readAll();
        return answer.isEmpty() ? 0 : Integer.parseInt(answer.substring(9, 12));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
