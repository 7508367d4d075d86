package dev.carillon.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS on the loop, with curl as the client. */
class TlsServerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @BeforeEach
    void needCurl() {
        Programs.need("curl");
    }

    private ChildProcess start() {
        return ChildJvm.of(TlsServerKt.class).args("0", folder.toString()).start();
    }

    private static String address(ChildProcess server) {
        String line = server.awaitLine("try: curl ", PATIENCE);
        return line.substring(line.indexOf("https://"));
    }

    private ChildExit curl(String... words) {
        Stream<String> common = Stream.of(
                "curl", "-sS", "--cacert", folder.resolve("carillon-tls.pem").toString());
        return ChildCommand.of(Stream.concat(common, Stream.of(words)).toArray(String[]::new))
                .run(PATIENCE);
    }

    @Test
    void bothVersionsAndTheProtocolAreAgreedOn() {
        try (ChildProcess server = start()) {
            String address = address(server);
            assertEquals(
                    List.of("hello over TLSv1.3 and http/1.1"), curl(address).stdout());
            assertEquals(
                    List.of("hello over TLSv1.2 and http/1.1"),
                    curl("--tls-max", "1.2", address).stdout());
            assertEquals(
                    List.of("hello over TLSv1.3 and "),
                    curl("--no-alpn", address).stdout());
        }
    }

    @Test
    void manyRecordsComeWholeToManyClientsAtOnce() throws IOException {
        try (ChildProcess server = start()) {
            String address = address(server);
            List<ChildProcess> clients = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                clients.add(ChildCommand.of(
                                "curl",
                                "-sS",
                                "--cacert",
                                folder.resolve("carillon-tls.pem").toString(),
                                "-o",
                                folder.resolve("got" + i).toString(),
                                address + "bytes/3000000")
                        .start());
            }
            for (int i = 0; i < clients.size(); i++) {
                ChildExit exit = clients.get(i).awaitExit(PATIENCE);
                clients.get(i).close();
                assertEquals(0, exit.code(), exit::toString);
                byte[] got = Files.readAllBytes(folder.resolve("got" + i));
                assertEquals(3_000_000, got.length);
                for (int at = 0; at < got.length; at++) {
                    assertEquals((byte) (at % 251), got[at]);
                }
            }
        }
    }

    @Test
    void whoDoesNotTrustItOrTalksPlainlyIsTurnedAwayAndOthersAreServed() {
        try (ChildProcess server = start()) {
            String address = address(server);
            assertEquals(
                    60, ChildCommand.of("curl", "-sS", address).run(PATIENCE).code());
            server.awaitLine("a client was turned away", PATIENCE);
            ChildExit plain = ChildCommand.of("curl", "-sS", address.replace("https", "http"))
                    .run(PATIENCE);
            assertTrue(plain.code() != 0, plain::toString);
            assertEquals(
                    List.of("hello over TLSv1.3 and http/1.1"), curl(address).stdout());
        }
    }
}
