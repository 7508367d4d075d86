package dev.carillon.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.test.Deadline;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Identities by certificate, with certificates that this test makes. */
// r[verify admin.auth]
final class MutualTlsIT extends EndpointCase {
    @TempDir
    static Path folder;

    private static Certificates certificates;

    @BeforeAll
    static void makeCertificates() {
        certificates = new Certificates(folder);
        List.of("server", "deploy", "stranger").forEach(certificates::make);
    }

    private SignalEndpointBuilder tls(Authenticator authenticator) throws Exception {
        return SignalEndpoint.builder(dispatcher)
                .authenticator(authenticator)
                .tls(certificates.context("server", List.of("deploy")));
    }

    private static HttpResponse<String> postAs(@Nullable String who, SignalEndpoint endpoint, String... headers)
            throws Exception {
        HttpRequest.Builder request = request(endpoint, TERM).setHeader("Authorization", "none");
        for (int header = 0; header < headers.length; header += 2) {
            request.setHeader(headers[header], headers[header + 1]);
        }
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .sslContext(certificates.context(who, List.of("server")))
                .build()
                .send(request.build(), BodyHandlers.ofString());
    }

    private static String fingerprint() throws Exception {
        byte[] digest = MessageDigest.getInstance("SHA-256")
                .digest(certificates.certificate("deploy").getEncoded());
        return "mtls:" + HexFormat.of().formatHex(digest);
    }

    /** Waits for the record, which comes after the answer, and finds that it is the only one. */
    private static void assertIdentity(String identity) {
        Deadline.after(LIMIT).await("the record is there", () -> !Records.all().isEmpty());
        assertEquals(identity, Records.only().get("identity"));
    }

    @Test
    void theFingerprintIsTheIdentity() throws Exception {
        try (SignalEndpoint endpoint = tls(Authenticator.mutualTls()).start()) {
            assertEquals("https", endpoint.uri().getScheme());
            assertEquals(202, postAs("deploy", endpoint).statusCode());
            assertIdentity(fingerprint());
        }
    }

    @Test
    void theSubjectIsTheIdentityAndDecidesWhatIsPermitted() throws Exception {
        try (SignalEndpoint endpoint = tls(Authenticator.mutualTlsBySubject())
                .permissions(
                        who -> who.name().equals("CN=deploy,O=Example") ? SignalSet.of(Signal.SIGHUP) : SignalSet.all())
                .start()) {
            HttpResponse<String> response = postAs("deploy", endpoint);
            assertEquals(403, response.statusCode());
            assertTrue(response.body().contains("'mtls:CN=deploy,O=Example' may not send TERM"), response.body());
            assertIdentity("mtls:CN=deploy,O=Example");
        }
    }

    @Test
    void withoutACertificateThereIsNoConnection() throws Exception {
        try (SignalEndpoint endpoint = tls(Authenticator.mutualTls()).start()) {
            assertThrows(IOException.class, () -> postAs(null, endpoint));
            assertThrows(IOException.class, () -> postAs("stranger", endpoint));
            assertEquals(202, postAs("deploy", endpoint).statusCode());
            assertIdentity(fingerprint());
        }
    }

    @Test
    void beforeAnotherProofACertificateMayBeMissing() throws Exception {
        try (SignalEndpoint endpoint = tls(Authenticator.mutualTlsBySubject())
                .authenticator(Authenticator.bearer("pipeline", TOKEN))
                .start()) {
            assertEquals(401, postAs(null, endpoint).statusCode());
            assertEquals(202, postAs("deploy", endpoint).statusCode());
            Deadline.after(LIMIT)
                    .await("two records are there", () -> Records.all().size() == 2);
            Records.clear();
            assertEquals(
                    202,
                    postAs(null, endpoint, "Authorization", "bearer " + TOKEN).statusCode());
            assertIdentity("bearer:pipeline");
        }
    }

    @Test
    void aHandshakeThatNeverEndsIsCutOff() throws Exception {
        try (SignalEndpoint endpoint = tls(Authenticator.mutualTls())
                        .timeLimit(Duration.ofMillis(200))
                        .start();
                RawClient slow = new RawClient(endpoint)) {
            assertEquals("", slow.write(new byte[] {22, 3, 1, 1}).readUntilCutOff());
        }
    }

    @Test
    void curlComesWithACertificate() throws Exception {
        try (SignalEndpoint endpoint = tls(Authenticator.mutualTlsBySubject()).start()) {
            List<String> answer = Curl.post(
                    endpoint.uri().toString(),
                    TERM,
                    "--cacert",
                    certificates.pem("server").toString(),
                    "--cert-type",
                    "P12",
                    "--cert",
                    certificates.file("deploy") + ":" + Certificates.PASSWORD);
            assertEquals("202", answer.get(answer.size() - 1), answer::toString);
            assertIdentity("mtls:CN=deploy,O=Example");
        }
    }
}
