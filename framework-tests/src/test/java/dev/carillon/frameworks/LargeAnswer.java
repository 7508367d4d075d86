package dev.carillon.frameworks;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** An answer of {@link Work#LARGE} bytes to a client that reads when it is told to. */
final class LargeAnswer implements AutoCloseable {
    /** Little, so that most of the answer stays at the other end. */
    private static final int RECEIVE_BUFFER = 32 << 10;

    private static final int SOME = 128 << 10;

    private final Socket socket = new Socket();
    private final InputStream input;
    private int read;

    LargeAnswer(int port, String connection) throws IOException {
        socket.setReceiveBufferSize(RECEIVE_BUFFER);
        socket.setSoTimeout((int) RunningService.LIMIT.toMillis());
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        String request = "GET /large HTTP/1.1\r\nHost: localhost\r\nConnection: " + connection + "\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        input = new BufferedInputStream(socket.getInputStream(), SOME);
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int letter = input.read();
            if (letter < 0) {
                throw new IOException("only this came: " + head);
            }
            head.append((char) letter);
        }
    }

    /** Reads some more of the body; false when there is nothing left. */
    boolean readSome() throws IOException {
        int more = input.readNBytes(Math.min(SOME, Work.LARGE - read)).length;
        read += more;
        return more > 0;
    }

    /** How many bytes of the body have come. */
    int length() {
        return read;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
