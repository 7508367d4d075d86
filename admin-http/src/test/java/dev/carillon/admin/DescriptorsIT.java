package dev.carillon.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Programs;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Scanner;
import javax.net.SocketFactory;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process whose descriptors run out before the first request. */
// r[verify admin.descriptors]
final class DescriptorsIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    static Path folder;

    @ParameterizedTest
    @CsvSource({"0, http", "1, http", "2, http", "1, https", "2, https"})
    void theEndpointAnswersWhenThereAreDescriptorsAgain(int left, String scheme) throws Exception {
        Programs.need("prlimit");
        SocketFactory sockets = SocketFactory.getDefault();
        if (scheme.equals("https")) {
            Certificates certificates = new Certificates(folder);
            if (!Files.exists(certificates.file("server"))) {
                certificates.make("server");
            }
            sockets = certificates.context(null, List.of("server")).getSocketFactory();
        }
        try (ChildProcess child = ChildJvm.of(Service.class)
                .args(Integer.toString(left), scheme, folder.toString())
                .prefix("prlimit", "--nofile=200")
                .start()) {
            int port = Integer.parseInt(child.awaitLine("port=", LIMIT).substring("port=".length()));
            child.awaitLine("no descriptors", LIMIT);
            try (Socket first = connect(sockets, port)) {
                // Without a descriptor it waits to be accepted. With some it is accepted.
                if (left > 0) {
                    attempt(first);
                }
                child.writeLine("free");
                child.awaitLine("descriptors again", LIMIT);
            }
            try (Socket second = connect(sockets, port)) {
                assertEquals("HTTP/1.1 202", answer(second).substring(0, 12));
            }
        }
    }

    private static Socket connect(SocketFactory sockets, int port) throws IOException {
        Socket socket = sockets.createSocket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout((int) LIMIT.toMillis());
        return socket;
    }

    /** What this one gets is no matter. */
    private static void attempt(Socket socket) throws IOException {
        try {
            answer(socket);
        } catch (SSLException | SocketException cutOff) {
            System.out.println("the first client is cut off: " + cutOff);
        }
    }

    private static String answer(Socket socket) throws IOException {
        socket.getOutputStream().write(RawClient.request(EndpointCase.TERM).getBytes(StandardCharsets.US_ASCII));
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }

    static final class Service {
        public static void main(String[] args) throws Exception {
            Scanner test = new Scanner(System.in, StandardCharsets.UTF_8);
            SignalEndpointBuilder builder = SignalEndpoint.builder(new DispatchRecorder())
                    .authenticator(Authenticator.bearer("deploy", EndpointCase.TOKEN));
            if (args[1].equals("https")) {
                builder.tls(new Certificates(Path.of(args[2])).context("server", List.of()));
            }
            try (SignalEndpoint endpoint = builder.start()) {
                System.out.println("port=" + endpoint.address().getPort());
                Deque<FileInputStream> files = new ArrayDeque<>();
                try {
                    while (true) {
                        files.push(new FileInputStream("/dev/null"));
                    }
                } catch (IOException full) {
                    for (int free = 0; free < Integer.parseInt(args[0]); free++) {
                        files.pop().close();
                    }
                }
                System.out.println("no descriptors");
                test.nextLine();
                while (!files.isEmpty()) {
                    files.pop().close();
                }
                System.out.println("descriptors again");
                test.nextLine();
            }
        }
    }
}
