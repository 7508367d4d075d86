package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.Deadline;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Who waits for a signal that a reader brings is called at the end of the reader's turn. */
final class SignalTurnTest extends SignalCase {
    private static final int ROUNDS = 100;

    private final List<String> called = new CopyOnWriteArrayList<>();

    SignalTurnTest() {
        super(CaptureKind.FORWARDER);
    }

    // r[verify signal.thread]
    @Test
    void aSignalThatIsReadNeedsNoTaskToComeToItsWaiter() {
        EventLoop loop = started();
        SignalService service = attach(loop, URG);
        long before = on(loop, () -> loop.stats().tasks());
        for (int i = 0; i < ROUNDS; i++) {
            CompletableFuture<SignalInfo> wait = service.await(URG);
            awaitWaiting(service, 1);
            send(URG);
            get(wait);
        }
        long after = on(loop, () -> loop.stats().tasks());
        assertEquals(ROUNDS + 1, after - before, "one task begins each wait, and one asks for the figure");
    }

    // r[verify signal.throw] r[verify signal.depth]
    @Test
    void oneThatThrowsHoldsUpNoOtherWhoseSignalWasReadInTheSameTurn() {
        EventLoop loop = started();
        SignalService urg = attach(loop, URG);
        SignalService winch = attach(loop, WINCH);
        SignalService cont = attach(loop, CONT);
        urg.start(waiter(URG, () -> {
            throw new IllegalStateException("thrown by a waiter");
        }));
        winch.start(waiter(WINCH, () -> {
            throw new IllegalStateException("thrown by another one");
        }));
        cont.start(waiter(CONT, () -> {}));
        inOneTurn(loop, URG, WINCH, CONT);
        Deadline.after(LIMIT).await("all were called", () -> called.size() == 3 && errors.size() == 2);
        assertEquals(List.of("SIGURG", "SIGWINCH", "SIGCONT"), called);
        errors.clear();
    }

    // r[verify signal.detach]
    @Test
    void oneThatClosesTheServicesOfTheOthersIsTheLastThatIsCalled() {
        EventLoop loop = started();
        SignalService urg = attach(loop, URG);
        SignalService winch = attach(loop, WINCH);
        urg.start(waiter(URG, () -> {
            winch.close();
            urg.close();
        }));
        TestWaiter left = new TestWaiter(SignalSet.of(URG));
        urg.start(left);
        inOneTurn(loop, URG);
        Deadline.after(LIMIT).await("the end was told", () -> left.failure != null);
        assertInstanceOf(ClosedException.class, left.failure);
        assertEquals(List.of("SIGURG"), called);
        assertTrue(winch.isClosed());
    }

    private SignalWaiter waiter(Signal signal, Runnable action) {
        return new SignalWaiter(signal) {
            @Override
            protected void onSignal(SignalInfo info) {
                called.add(info.signal().name());
                action.run();
            }

            @Override
            protected void onFailure(RuntimeException cause) {}
        };
    }

    /** Sent to the thread of the loop, by itself, they are all in the pipe when it comes to read that. */
    private void inOneTurn(EventLoop loop, Signal... signals) {
        on(loop, () -> {
            for (Signal signal : signals) {
                Sys.get()
                        .signals()
                        .sendToThread(
                                Sys.get().processes().pid(),
                                Sys.get().processes().threadId(),
                                signal.number());
            }
            return true;
        });
    }
}
