package dev.carillon.admin;

import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Keys and certificates, made by keytool. */
final class Certificates {
    static final String PASSWORD = "changeit";
    private static final String TYPE = "PKCS12";

    private final Path folder;

    Certificates(Path folder) {
        this.folder = folder;
    }

    Path file(String name) {
        return folder.resolve(name + ".p12");
    }

    void make(String name) {
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        ChildExit exit = ChildCommand.of(
                        keytool,
                        "-genkeypair",
                        "-alias",
                        "key",
                        "-keyalg",
                        "EC",
                        "-validity",
                        "2",
                        "-storetype",
                        TYPE,
                        "-keystore",
                        file(name).toString(),
                        "-storepass",
                        PASSWORD,
                        "-dname",
                        "CN=" + name + ",O=Example",
                        "-ext",
                        "san=ip:127.0.0.1")
                .run(Duration.ofSeconds(60));
        if (exit.code() != 0) {
            throw new AssertionError(exit.toString());
        }
    }

    private KeyStore load(String name) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(TYPE);
        try (InputStream in = Files.newInputStream(file(name))) {
            store.load(in, PASSWORD.toCharArray());
        }
        return store;
    }

    X509Certificate certificate(String name) throws GeneralSecurityException, IOException {
        return (X509Certificate) load(name).getCertificate("key");
    }

    /** As curl wants it. */
    Path pem(String name) throws GeneralSecurityException, IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'})
                .encodeToString(certificate(name).getEncoded());
        return Files.writeString(
                folder.resolve(name + ".pem"),
                "-----BEGIN CERTIFICATE-----\n" + text + "\n-----END CERTIFICATE-----\n",
                StandardCharsets.US_ASCII);
    }

    /** Who has a key of its own, or none, and trusts some. */
    SSLContext context(@Nullable String own, List<String> trusted) throws GeneralSecurityException, IOException {
        KeyStore trust = KeyStore.getInstance(TYPE);
        trust.load(null, null);
        for (String name : trusted) {
            trust.setCertificateEntry(name, certificate(name));
        }
        TrustManagerFactory trustManagers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trustManagers.init(trust);
        KeyManagerFactory keyManagers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        if (own != null) {
            keyManagers.init(load(own), PASSWORD.toCharArray());
        }
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own == null ? null : keyManagers.getKeyManagers(), trustManagers.getTrustManagers(), null);
        return context;
    }
}
