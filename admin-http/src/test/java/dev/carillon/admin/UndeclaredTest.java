package dev.carillon.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.test.Deadline;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Code of the program throws a checked exception that it does not declare, as Kotlin does, or says what no header may have. */
// r[verify admin.contract]
final class UndeclaredTest extends EndpointCase {
    private static final String FAILED = "{\"status\":\"error\",\"error\":\"internal_error\","
            + "\"message\":\"The endpoint has failed, see its log\"}";

    /** Throws where it is told to. */
    private static final class Throwing extends DispatchRecorder implements Authenticator {
        private final String where;

        Throwing(String where) {
            this.where = where;
        }

        private void enter(String place) {
            if (place.equals(where)) {
                throw Throwing.<RuntimeException>undeclared(new IOException("broken, as this test wants it"));
            }
        }

        @SuppressWarnings("unchecked")
        private static <E extends Throwable> RuntimeException undeclared(Throwable thrown) throws E {
            throw (E) thrown;
        }

        @Override
        public @Nullable Identity authenticate(HttpExchange exchange) {
            enter("authenticate");
            return where.equals("challenge") ? null : new Identity("test", "sender");
        }

        @Override
        public String challenge() {
            enter("challenge");
            return "Test";
        }

        SignalSet permitted() {
            enter("permissions");
            return SignalSet.all();
        }

        @Override
        public @Nullable Signal resolve(String name) {
            enter("resolve");
            return super.resolve(name);
        }

        @Override
        public boolean handles(Signal signal) {
            enter("handles");
            return super.handles(signal);
        }

        @Override
        public void dispatch(Signal signal, String origin) {
            enter("dispatch");
            super.dispatch(signal, origin);
        }
    }

    private static SignalEndpoint start(Throwing program) throws IOException {
        return SignalEndpoint.builder(program)
                .authenticator(program)
                .permissions(anyone -> program.permitted())
                .start();
    }

    @ParameterizedTest
    @ValueSource(strings = {"authenticate", "challenge", "permissions", "resolve", "handles"})
    void whatTheProgramThrowsWithoutDeclaringItIsAnswered(String where) throws Exception {
        try (SignalEndpoint endpoint = start(new Throwing(where))) {
            assertAnswer(500, FAILED, post(endpoint, TERM));
            assertInstanceOf(IOException.class, Records.all().get(0).getThrowable());
            Deadline.after(LIMIT).await("it is counted", () -> Records.count() > 0);
            assertEquals(1, Records.count());
        }
    }

    @Test
    void whatADispatcherThrowsWithoutDeclaringItIsInTheLog() throws Exception {
        try (SignalEndpoint endpoint = start(new Throwing("dispatch"))) {
            assertEquals(202, post(endpoint, TERM).statusCode());
            Deadline.after(LIMIT).await("both records are there", () -> Records.count() == 2);
            assertInstanceOf(IOException.class, Records.all().get(1).getThrowable());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Test\r\nSet-Cookie: a=b", "Test\n"})
    void aChallengeThatIsNoHeaderIsAnswered(String challenge) throws Exception {
        Authenticator broken = new Authenticator() {
            @Override
            public @Nullable Identity authenticate(HttpExchange exchange) {
                return null;
            }

            @Override
            public String challenge() {
                return challenge;
            }
        };
        try (SignalEndpoint endpoint =
                SignalEndpoint.builder(dispatcher).authenticator(broken).start()) {
            var response = post(endpoint, TERM);
            assertAnswer(500, FAILED, response);
            assertTrue(response.headers().firstValue("set-cookie").isEmpty());
            assertInstanceOf(
                    IllegalArgumentException.class, Records.all().get(0).getThrowable());
        }
    }
}
