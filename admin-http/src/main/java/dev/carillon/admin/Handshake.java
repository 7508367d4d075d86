package dev.carillon.admin;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * How TLS begins. If certificates of clients are the only proof, there is no connection without one; if there are other
 * proofs, it may be missing.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Handshake extends HttpsConfigurator {
    private final boolean needsCertificates;
    private final boolean areOthersThere;

    Handshake(SSLContext context, boolean needsCertificates, boolean areOthersThere) {
        super(context);
        this.needsCertificates = needsCertificates;
        this.areOthersThere = areOthersThere;
    }

    @Override
    public void configure(HttpsParameters parameters) {
        SSLParameters own = getSSLContext().getDefaultSSLParameters();
        if (needsCertificates && areOthersThere) {
            own.setWantClientAuth(true);
        } else if (needsCertificates) {
            own.setNeedClientAuth(true);
        }
        parameters.setSSLParameters(own);
    }
}
