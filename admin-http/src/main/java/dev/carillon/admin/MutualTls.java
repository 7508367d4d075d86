package dev.carillon.admin;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsExchange;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.function.Function;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** The certificate that the client has shown, and whose key it has. <b>Threading:</b> immutable. */
// r[impl admin.auth]
final class MutualTls implements Authenticator {
    private final Function<X509Certificate, String> name;

    MutualTls(Function<X509Certificate, String> name) {
        this.name = name;
    }

    static String fingerprint(X509Certificate certificate) {
        try {
            return HexFormat.of().formatHex(Secret.sha256(certificate.getEncoded()));
        } catch (CertificateEncodingException broken) {
            throw new IllegalArgumentException("the certificate has no encoding", broken);
        }
    }

    static String subject(X509Certificate certificate) {
        return certificate.getSubjectX500Principal().getName();
    }

    @Override
    public @Nullable Identity authenticate(HttpExchange exchange) {
        if (!(exchange instanceof HttpsExchange https)) {
            return null;
        }
        SSLSession session = https.getSSLSession();
        if (session == null) {
            return null;
        }
        try {
            Certificate[] chain = session.getPeerCertificates();
            return chain[0] instanceof X509Certificate own ? new Identity("mtls", name.apply(own)) : null;
        } catch (SSLPeerUnverifiedException hasShownNone) {
            return null;
        }
    }

    @Override
    public boolean needsClientCertificate() {
        return true;
    }
}
