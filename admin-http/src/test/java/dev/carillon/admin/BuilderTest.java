package dev.carillon.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.test.Deadline;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot be built. */
// r[verify admin.auth]
final class BuilderTest extends EndpointCase {
    private static SignalEndpointBuilder open(DispatchRecorder dispatcher) {
        return SignalEndpoint.builder(dispatcher);
    }

    @Test
    void withoutAuthenticatorThereIsNoEndpointAndNoHandler() {
        IllegalStateException refused =
                assertThrows(IllegalStateException.class, () -> open(dispatcher).start());
        assertTrue(refused.toString().contains("an endpoint without authenticator"), refused::toString);
        assertThrows(IllegalStateException.class, () -> open(dispatcher).handler());
    }

    @Test
    void plainTextStaysOnLoopback() throws Exception {
        InetSocketAddress everywhere = new InetSocketAddress(InetAddress.getByName("0.0.0.0"), 0);
        IllegalStateException refused = assertThrows(
                IllegalStateException.class, () -> builder().address(everywhere).start());
        assertTrue(refused.toString().contains("can be reached from elsewhere"), refused::toString);
        try (SignalEndpoint forced =
                builder().address(everywhere).allowPlainText(true).start()) {
            assertEquals(202, post(forced, TERM).statusCode());
        }
    }

    @Test
    void certificatesNeedTls() {
        assertThrows(
                IllegalStateException.class,
                () -> builder().authenticator(Authenticator.mutualTls()).start());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "two words", "tab\t", "naïve"})
    void aTokenHasVisibleLettersOnly(String token) {
        assertThrows(IllegalArgumentException.class, () -> Authenticator.bearer("deploy", token));
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        List.<Runnable>of(
                        () -> Authenticator.bearer(" ", TOKEN),
                        () -> Authenticator.basic("a:b", "secret"),
                        () -> Authenticator.basic("ops", ""),
                        () -> builder().signals(),
                        () -> builder().signals(Signal.SIGKILL),
                        () -> builder().signals(Signal.SIGSEGV),
                        () -> builder().requestLimit(0, Duration.ofMinutes(1)),
                        () -> builder().requestLimit(1, Duration.ZERO),
                        () -> builder().failureLimit(1, Duration.ofDays(2)),
                        () -> builder().timeLimit(Duration.ofSeconds(-1)),
                        () -> builder().connections(0, 1),
                        () -> builder().connections(1, 0),
                        () -> builder().address(InetSocketAddress.createUnresolved("nowhere.invalid", 1)),
                        () -> new Identity(" ", "x"))
                .forEach(senseless -> assertThrows(IllegalArgumentException.class, senseless::run));
    }

    @Test
    void limitsHaveTheRangesThatTheGuideNames() {
        Duration minute = Duration.ofMinutes(1);
        Duration day = Duration.ofDays(1);
        Duration moment = Duration.ofNanos(1);
        List.<Runnable>of(
                        () -> builder().requestLimit(1, moment),
                        () -> builder().requestLimit(1000, day),
                        () -> builder().requestLimit(999, day.minus(moment)),
                        () -> builder().failureLimit(1, moment),
                        () -> builder().failureLimit(1000, day),
                        () -> builder().timeLimit(moment),
                        () -> builder().timeLimit(day),
                        () -> builder().connections(1, 1),
                        () -> builder().connections(1000, 32767))
                .forEach(Runnable::run);
        List.<Runnable>of(
                        () -> builder().requestLimit(0, minute),
                        () -> builder().requestLimit(1001, minute),
                        () -> builder().requestLimit(1, day.plus(moment)),
                        () -> builder().failureLimit(0, minute),
                        () -> builder().failureLimit(1001, minute),
                        () -> builder().failureLimit(1, Duration.ZERO),
                        () -> builder().timeLimit(Duration.ZERO),
                        () -> builder().timeLimit(day.plus(moment)),
                        () -> builder().connections(1001, 1),
                        () -> builder().connections(1, 32768))
                .forEach(beyond -> assertThrows(IllegalArgumentException.class, beyond::run));
    }

    /** The check for leaks after this class sees what such a failure leaves open. */
    @Test
    void anAddressThatIsTakenLeavesNothingOpen() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThrows(
                    BindException.class,
                    () -> builder().port(taken.getLocalPort()).start());
        }
    }

    @Test
    void anEndpointListensOnLoopbackByDefaultUntilItIsClosed() throws Exception {
        SignalEndpoint endpoint = builder().start();
        assertTrue(endpoint.address().getAddress().isLoopbackAddress());
        assertEquals("/admin/signal", endpoint.uri().getPath());
        int port = endpoint.address().getPort();
        endpoint.close();
        endpoint.close();
        Deadline.after(LIMIT).await("the port is free", () -> {
            try (ServerSocket same = new ServerSocket()) {
                same.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return true;
            } catch (java.io.IOException taken) {
                return false;
            }
        });
    }
}
