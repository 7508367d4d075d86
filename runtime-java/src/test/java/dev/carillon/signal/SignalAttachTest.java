package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ClosedException;
import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopGroup;
import dev.carillon.sys.call.SignalAction;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Attaching, releasing, closing. */
@ParameterizedClass
@EnumSource(SignalCase.Setting.class)
final class SignalAttachTest extends SignalCase {
    SignalAttachTest(Setting setting) {
        super(setting);
    }

    private long handler(Signal signal) {
        return sys().signals().action(signal.number()).handler();
    }

    // r[verify signal.attach]
    @Test
    void aSignalOfAnotherServiceIsRefusedAndItsOwnerNamed() {
        EventLoop loop = started();
        SignalService owner = attach(loop, URG);
        EventLoop other = started();
        IllegalStateException refused = assertThrows(IllegalStateException.class, () -> attach(other, WINCH, URG));
        assertEquals(
                "SIGURG belongs to SignalService[carillon-loop, {SIGURG}]; wait for it there, or release it there"
                        + " first",
                refused.getMessage());
        attach(other, WINCH);
        owner.close();
        attach(other, URG);
    }

    // r[verify signal.attach]
    @Test
    void forbiddenSignalsAreRefusedWithTheReasonAndNothingIsAttached() {
        EventLoop loop = started();
        long before = handler(URG);
        for (int number : new int[] {4, 5, 7, 8, 9, 11, 19, 32, 33, 62}) {
            IllegalArgumentException refused = assertThrows(
                    IllegalArgumentException.class, () -> attach(loop, URG, Signal.of(number)), () -> "n=" + number);
            assertTrue(String.valueOf(refused.getMessage()).contains(Signal.of(number) + " cannot be attached: "));
        }
        assertEquals(before, handler(URG));
        attach(loop, URG);
    }

    // r[verify signal.attach]
    @Test
    void aLoopThatNobodyRunsYetAttachesWhenItStarts() {
        EventLoop loop = loop();
        long before = handler(URG);
        SignalService service = attach(loop, URG);
        CompletableFuture<SignalInfo> early = service.await(URG);
        assertEquals(before, handler(URG));
        assertEquals(SignalSet.of(URG), service.attached());
        loop.start();
        awaitWaiting(service, 1);
        assertFalse(before == handler(URG));
        assertEquals(capture(), service.capture());
        send(URG);
        assertEquals(URG, get(early).signal());
    }

    @Test
    void aServiceThatIsClosedBeforeItsLoopStartsNeverTakesEffect() {
        EventLoop loop = loop();
        long before = handler(URG);
        SignalService service = attach(loop, URG);
        CompletableFuture<SignalInfo> early = service.await(URG);
        service.close();
        attach(loop, URG).close();
        loop.start();
        assertTrue(failureOf(early) instanceof ClosedException);
        assertEquals(before, handler(URG));
        SignalService again = attach(loop, URG);
        send(URG);
        assertEquals(URG, get(again.await(URG)).signal());
    }

    // r[verify signal.attach]
    @Test
    void aLoopOfTheCallingThreadAttachesAtOnce() {
        EventLoop loop = loop();
        loop.runUntilEmpty();
        SignalService service = attach(loop, URG);
        assertEquals(capture(), service.capture());
        CompletableFuture<SignalInfo> wait = service.await(URG);
        send(URG);
        while (!wait.isDone()) {
            loop.runOne();
        }
        assertEquals(URG, get(wait).signal());
        service.close();
    }

    @Test
    void aClosedLoopTakesNoService() {
        EventLoop loop = started();
        loop.close();
        assertThrows(RejectedExecutionException.class, () -> attach(loop, URG));
        attach(started(), URG);
    }

    @Test
    void whatIsNotAttachedCannotBeWaitedForAndTheErrorSaysWhatToDo() {
        SignalService service = attach(started(), URG);
        IllegalStateException refused = assertThrows(IllegalStateException.class, () -> service.await(WINCH));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("{SIGWINCH} is not attached"), message);
        assertTrue(message.contains("SignalService.attach(loop, SignalSet.of(...))"), message);
        assertThrows(IllegalStateException.class, () -> service.inject(SignalInfo.of(WINCH)));
    }

    // r[verify signal.detach]
    @Test
    void closingFailsWhoWaitsAndPutsEverythingBack() {
        long urg = handler(URG);
        long winch = handler(WINCH);
        SignalService service = attach(started(), URG, WINCH);
        assertFalse(urg == handler(URG));
        CompletableFuture<SignalInfo> one = service.await(URG);
        CompletableFuture<SignalInfo> any = service.awaitAny(SignalSet.of(URG, WINCH));
        service.close();
        service.close();
        assertTrue(failureOf(one) instanceof ClosedException);
        assertTrue(failureOf(any) instanceof ClosedException);
        assertEquals(urg, handler(URG));
        assertEquals(winch, handler(WINCH));
        assertTrue(service.isClosed());
        assertThrows(ClosedException.class, () -> service.await(URG));
        assertEquals(SignalSet.empty(), service.attached());
    }

    // r[verify signal.detach]
    @Test
    void aLoopThatEndsClosesItsServices() {
        long before = handler(URG);
        EventLoop loop = started();
        SignalService service = attach(loop, URG);
        CompletableFuture<SignalInfo> wait = service.await(URG);
        loop.close();
        assertTrue(failureOf(wait) instanceof ClosedException);
        assertEquals(before, handler(URG));
        assertTrue(service.isClosed());
        service.close();
    }

    // r[verify signal.detach]
    @Test
    void whatSomebodyElseInstalledSinceStays() {
        SignalAction ignore = new SignalAction(SignalAction.IGNORE, 0, 0);
        SignalAction before = sys().signals().action(URG.number());
        SignalService service = attach(started(), URG);
        sys().signals().setAction(URG.number(), ignore);
        try {
            service.close();
            if (capture() == CaptureKind.FORWARDER) {
                assertEquals(SignalAction.IGNORE, handler(URG));
            }
        } finally {
            sys().signals().setAction(URG.number(), before);
        }
    }

    @Test
    void aReleasedSignalIsTheProcessesAgain() {
        long before = handler(URG);
        SignalService service = attach(started(), URG, WINCH);
        CompletableFuture<SignalInfo> urg = service.await(URG);
        CompletableFuture<SignalInfo> winch = service.await(WINCH);
        service.release(URG);
        service.release(URG);
        assertTrue(String.valueOf(failureOf(urg).getMessage()).contains("SIGURG was released"));
        assertEquals(before, handler(URG));
        assertEquals(SignalSet.of(WINCH), service.attached());
        send(URG);
        send(WINCH);
        assertEquals(WINCH, get(winch).signal());
        attach(started(), URG);
    }

    @Test
    void twoServicesOnTwoLoopsEachGetTheirs() {
        SignalService one = attach(started(), URG);
        SignalService other = attach(started(), WINCH);
        send(WINCH);
        send(URG);
        assertEquals(URG, get(one.await(URG)).signal());
        assertEquals(WINCH, get(other.await(WINCH)).signal());
    }

    @Test
    void twoServicesOnOneLoopEachGetTheirs() {
        EventLoop loop = started();
        SignalService one = attach(loop, URG);
        SignalService other = attach(loop, WINCH);
        send(WINCH);
        send(URG);
        assertEquals(URG, get(one.await(URG)).signal());
        assertEquals(WINCH, get(other.await(WINCH)).signal());
        one.close();
        send(WINCH);
        assertEquals(WINCH, get(other.await(WINCH)).signal());
    }

    // r[verify signal.mask]
    @Test
    void aMaskOnAllLoopThreadsDoesNotHideAttachedSignals() {
        EventLoopGroup group = closeLater(EventLoopGroup.start(2, SignalSet.of(URG, WINCH)));
        SignalSet before =
                SignalSet.ofBits(on(group.get(0), () -> sys().signals().mask()));
        assertTrue(before.containsAll(SignalSet.of(URG, WINCH)), before::toString);
        SignalService service = attach(group.get(0), URG);
        send(URG);
        assertEquals(URG, get(service.await(URG)).signal());
        service.close();
        assertEquals(
                before, SignalSet.ofBits(on(group.get(0), () -> sys().signals().mask())));
    }

    // r[verify signal.detach]
    @Test
    void aThousandServicesLeaveNothingBehind() {
        EventLoop loop = started();
        long before = handler(URG);
        for (int i = 0; i < 1_000; i++) {
            SignalService service = attach(loop, URG, WINCH);
            CompletableFuture<SignalInfo> wait = service.await(URG);
            if (i % 2 == 0) {
                send(URG);
                get(wait);
            }
            service.close();
        }
        assertEquals(before, handler(URG));
        assertEquals(0, on(loop, () -> loop.stats().pendingTimers()));
    }

    // r[verify signal.storm]
    @Test
    void aServiceCanBeClosedAmidAStorm() throws InterruptedException {
        EventLoop loop = started();
        AtomicBoolean isOver = new AtomicBoolean();
        Thread storm = new Thread(() -> {
            while (!isOver.get()) {
                send(URG);
                send(WINCH);
            }
        });
        storm.start();
        try {
            for (int i = 0; i < 50; i++) {
                SignalService service = attach(loop, URG, WINCH);
                get(service.await(URG));
                CompletableFuture<SignalInfo> last = service.await(URG);
                service.close();
                // One that came before the close may have been on its way to the waiter.
                boolean ended = get(last.handle((info, failure) -> info != null || failure instanceof ClosedException));
                assertTrue(ended);
            }
        } finally {
            isOver.set(true);
            storm.join(LIMIT.toMillis());
        }
        assertEquals(0, errors.size(), errors::toString);
        // The VM counts what it has not come to, and gives out lower numbers first: before this one all of the storm.
        SignalService last = attach(loop, Signal.SIGIO);
        send(Signal.SIGIO);
        assertEquals(Signal.SIGIO, get(last.await(Signal.SIGIO)).signal());
        SignalService afterwards = attach(loop, URG);
        send(URG);
        assertEquals(URG, get(afterwards.await(URG)).signal());
    }

    @Test
    void optionsAreChecked() {
        assertThrows(
                IllegalArgumentException.class,
                () -> SignalOptions.builder().pendingStandard(0).build());
        assertThrows(
                IllegalArgumentException.class,
                () -> SignalOptions.builder().pendingRealtime(-1).build());
        assertThrows(
                IllegalArgumentException.class,
                () -> SignalOptions.builder()
                        .unclaimedAfter(Duration.ofSeconds(-1))
                        .build());
    }
}
