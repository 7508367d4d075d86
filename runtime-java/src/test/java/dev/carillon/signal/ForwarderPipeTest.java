package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopGroup;
import dev.carillon.sys.call.Sys;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Pipes are lent to loops, and the carrier comes only where a pipe was full. */
final class ForwarderPipeTest extends SignalCase {
    private final int pid = sys().processes().pid();

    @Override
    Capture capture() {
        return Capture.FORWARDER;
    }

    @Override
    Sys sys() {
        return Sys.get();
    }

    private static Signal carrier() {
        return Objects.requireNonNull(Forwarder.carrierInUse());
    }

    // r[verify signal.detach]
    @Test
    void servicesThatComeAndGoShareOnePipe() {
        attach(started(), URG).close();
        int before = SignalPipe.count();
        EventLoop loop = started();
        for (int i = 0; i < 1_000; i++) {
            attach(loop, URG).close();
        }
        for (int i = 0; i < 20; i++) {
            EventLoop another = started();
            attach(another, URG).close();
            another.close();
        }
        assertEquals(before, SignalPipe.count());
    }

    // r[verify signal.detach]
    @Test
    void thereAreAsManyPipesAsLoopsHadServicesAtOnce() {
        for (int round = 0; round < 3; round++) {
            SignalService one = attach(started(), URG);
            SignalService other = attach(started(), WINCH);
            SignalService third = attach(other.loop(), CONT);
            assertTrue(SignalPipe.count() >= 2);
            one.close();
            other.close();
            third.close();
        }
        int before = SignalPipe.count();
        attach(started(), URG);
        attach(started(), WINCH);
        assertEquals(before, SignalPipe.count());
    }

    // r[verify signal.carrier]
    @Test
    void strayCarriersDoNothing() {
        EventLoop loop = started();
        SignalService service = attach(loop, URG);
        int tid = on(loop, () -> sys().processes().threadId());
        for (int i = 0; i < 100; i++) {
            assertEquals(0, sys().signals().queueToThread(pid, tid, carrier().number(), i));
            assertTrue(Signals.queue(pid, carrier(), i));
            assertTrue(Signals.send(pid, carrier()));
        }
        CompletableFuture<SignalInfo> wait = service.await(URG);
        send(URG);
        assertEquals(pid, get(wait).pid());
        assertEquals(1, service.stats().arrived());
        assertEquals(SignalSet.empty(), blocked(loop).minus(Signal.SIGQUIT));
    }

    // r[verify signal.carrier]
    @Test
    void aCarrierThatWasBlockedIsUnblockedWhileThereIsAServiceAndBlockedAgainAfterwards() {
        attach(started(), URG).close();
        EventLoopGroup group = closeLater(EventLoopGroup.start(1, SignalSet.of(carrier(), WINCH)));
        EventLoop loop = group.get(0);
        SignalService service = attach(loop, URG);
        assertEquals(SignalSet.of(WINCH), blocked(loop).minus(Signal.SIGQUIT));
        CompletableFuture<SignalInfo> wait = service.await(URG);
        send(URG);
        assertEquals(pid, get(wait).pid());
        service.close();
        assertEquals(SignalSet.of(carrier(), WINCH), blocked(loop).minus(Signal.SIGQUIT));
    }

    private SignalSet blocked(EventLoop loop) {
        return SignalSet.ofBits(on(loop, () -> sys().signals().mask()));
    }
}
