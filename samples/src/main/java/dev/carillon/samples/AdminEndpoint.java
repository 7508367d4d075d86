package dev.carillon.samples;

import dev.carillon.Signal;
import dev.carillon.admin.Authenticator;
import dev.carillon.admin.SignalEndpoint;
import dev.carillon.lifecycle.Lifecycle;
import dev.carillon.samples.words.Word;
import java.io.IOException;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.concurrent.CountDownLatch;

/** A service that takes its signals by HTTP too: POST TERM ends it in good order, USR1 is handled, HUP is refused. */
public final class AdminEndpoint {
    private static final int TOKEN_BITS = 256;

    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (!Word.fit("admin-endpoint [PORT]", arguments, Word.PORT)) {
            System.exit(2);
        }
        int port = arguments.length == 0 ? 0 : Integer.parseInt(arguments[0]);
        String token = new BigInteger(TOKEN_BITS, new SecureRandom()).toString(16);
        // region endpoint
        Lifecycle lifecycle = Lifecycle.builder().build();
        lifecycle.handle(Signal.SIGUSR1, info -> System.out.println("USR1 came"));
        lifecycle.onReload("settings", () -> {
            throw new IllegalArgumentException("the new settings are bad");
        });
        lifecycle.start();

        SignalEndpoint endpoint = SignalEndpoint.builder(lifecycle)
                .authenticator(Authenticator.bearer("deploy", token))
                .port(port)
                .start();
        lifecycle.onShutdown("admin endpoint", endpoint::close);
        // endregion
        System.out.println("token=" + token);
        System.out.println(endpoint.uri());
        new CountDownLatch(1).await();
    }
}
