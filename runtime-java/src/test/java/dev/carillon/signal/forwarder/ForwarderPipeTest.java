package dev.carillon.signal.forwarder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopGroup;
import dev.carillon.signal.CaptureKind;
import dev.carillon.signal.SignalCase;
import dev.carillon.signal.SignalService;
import dev.carillon.signal.Signals;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.layout.Constants;
import dev.carillon.sys.layout.SiginfoLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Pipes are lent to loops, and the carrier comes only where a pipe was full. */
final class ForwarderPipeTest extends SignalCase {
    private final int pid = sys().processes().pid();

    ForwarderPipeTest() {
        super(CaptureKind.FORWARDER);
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

    // r[verify signal.pages]
    @Test
    void whatIsJumpedToAndBelievedIsReadOnlyOnceASignalIsAttached() throws Exception {
        for (int i = 0; i < 3; i++) {
            SignalService service = attach(started(), URG);
            assertEquals("r-xp r--p rw-p", protections());
            service.close();
            assertEquals("r-xp r--p rw-p", protections());
        }
    }

    /** Of the code, the data and the counters, which lie side by side. */
    private String protections() throws IOException {
        long code = sys().signals().action(carrier().number()).handler();
        StringBuilder protections = new StringBuilder();
        for (int page = 0; page < 3; page++) {
            long address = code + (long) page * ForwarderLayout.PAGE;
            for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
                String[] words = line.split("[- ]", 4);
                if (Long.parseUnsignedLong(words[0], 16) <= address && address < Long.parseUnsignedLong(words[1], 16)) {
                    protections.append(page == 0 ? "" : " ").append(line.split(" ", 3)[1]);
                }
            }
        }
        return protections.toString();
    }

    // r[verify signal.cookie]
    @Test
    void carriersWithHalfOfTheCookieOrAnotherOneDoNothing() {
        EventLoop loop = started();
        SignalService service = attach(loop, URG);
        int tid = on(loop, () -> sys().processes().threadId());
        long cookie = Forwarder.get().cookie();
        for (int bit = 0; bit < Long.SIZE; bit++) {
            assertEquals(0, queueCarrier(tid, cookie ^ 1L << bit));
        }
        assertEquals(0, queueCarrier(tid, cookie & 0xffff_ffffL));
        assertEquals(0, queueCarrier(tid, 0));
        assertEquals(0, queueCarrier(tid, cookie));
        assertEquals(4711, get(service.await(URG)).value());
        assertEquals(1, service.stats().arrived());
    }

    private int queueCarrier(int tid, long cookie) {
        try (NativeBytes siginfo = NativeBytes.allocate(sys().libc(), ForwarderLayout.SIGINFO)) {
            ByteBuffer info = siginfo.bytes();
            SiginfoLayout.putQueued(info, 0, carrier().number(), 1, 0, 4711);
            info.putInt(SiginfoLayout.SI_ERRNO, URG.number());
            info.putInt(SiginfoLayout.SI_CODE, Constants.SI_QUEUE - 0x10000);
            info.putLong(ForwarderLayout.MARK, cookie);
            return sys().signals().forwardToThread(pid, tid, carrier().number(), siginfo.address());
        }
    }

    private SignalSet blocked(EventLoop loop) {
        return SignalSet.ofBits(on(loop, () -> sys().signals().mask()));
    }
}
