package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.Availability;
import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.EventLoopOptions;
import dev.carillon.sys.LibCs;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.call.SysOver;
import dev.carillon.test.Deadline;
import dev.carillon.test.Futures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;

/**
 * What tests of a service share: the capture and the library that the subclass names, and what is closed afterwards.
 *
 * <p>The signals are such as do nothing by default, so a test that goes wrong does not end the test runner.
 */
public abstract class SignalCase {
    static final Duration LIMIT = Duration.ofSeconds(60);
    protected static final Signal URG = Signal.SIGURG;
    protected static final Signal WINCH = Signal.SIGWINCH;
    protected static final Signal CONT = Signal.SIGCONT;

    final Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
    private final List<AutoCloseable> opened = new ArrayList<>();

    private final CaptureKind capture;
    private final Supplier<Sys> sys;

    /** Of one capture, with the library that programs have. */
    protected SignalCase(CaptureKind capture) {
        this(capture, Sys::get);
    }

    SignalCase(CaptureKind capture, Supplier<Sys> sys) {
        this.capture = capture;
        this.sys = sys;
    }

    SignalCase(Setting setting) {
        this(setting.capture, setting::sys);
    }

    /** The ways of a signal to a service: each capture over each library. */
    enum Setting {
        FORWARDER_BY_JNA(CaptureKind.FORWARDER, true),
        FORWARDER_BY_FFM(CaptureKind.FORWARDER, false),
        JVM_BY_JNA(CaptureKind.JVM, true),
        JVM_BY_FFM(CaptureKind.JVM, false);

        private final CaptureKind capture;
        private final boolean isJna;

        Setting(CaptureKind capture, boolean isJna) {
            this.capture = capture;
            this.isJna = isJna;
        }

        private Sys sys() {
            return SysOver.of(isJna ? LibCs.jna() : LibCs.ffm());
        }
    }

    final CaptureKind capture() {
        return capture;
    }

    protected final Sys sys() {
        return sys.get();
    }

    @BeforeEach
    void skipWhereTheCaptureIsMissing() {
        sys();
        Availability availability = capture().availability();
        Assumptions.assumeTrue(availability.isAvailable(), availability::toString);
    }

    @AfterEach
    void closeWhatWasOpened() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    protected <T extends AutoCloseable> T closeLater(T closeable) {
        opened.add(closeable);
        return closeable;
    }

    EventLoop loop() {
        return closeLater(EventLoop.open(EventLoopOptions.builder()
                .errorHandler((loop, error) -> errors.add(error))
                .build()));
    }

    protected EventLoop started() {
        return loop().start();
    }

    SignalOptions.Builder options() {
        return SignalOptions.builder().capture(capture());
    }

    protected SignalService attach(EventLoop loop, Signal... signals) {
        return attach(loop, options(), signals);
    }

    protected SignalService attach(EventLoop loop, SignalOptions.Builder options, Signal... signals) {
        return closeLater(SignalService.attach(loop, SignalSet.of(signals), options.build(), this::sys));
    }

    /** Sends a signal to this process. */
    protected void send(Signal signal) {
        assertTrue(Signals.send((int) ProcessHandle.current().pid(), signal));
    }

    /** Sends one that nobody waits for, and waits until it is pending. */
    void sendAndAwaitArrival(SignalService service, Signal signal) {
        int before = service.stats().pending();
        send(signal);
        Deadline.after(LIMIT)
                .await(signal + " is pending", () -> service.stats().pending() == before + 1);
    }

    static void awaitWaiting(SignalService service, int waiters) {
        Deadline.after(LIMIT).await(waiters + " wait", () -> service.stats().waiting() == waiters);
    }

    static SignalInfo numbered(Signal signal, long value) {
        return new SignalInfo(signal, -1, 1, 1, 0, 0, value);
    }

    protected static <T> T get(CompletableFuture<T> future) {
        return Futures.get(future);
    }

    static Throwable failureOf(CompletableFuture<?> future) {
        return Futures.failureOf(future);
    }

    /** Runs something on the loop thread and waits for it. */
    protected static <T> T on(EventLoop loop, Callable<T> action) {
        CompletableFuture<T> result = new CompletableFuture<>();
        loop.execute(() -> {
            try {
                result.complete(action.call());
            } catch (Exception | AssertionError e) {
                result.completeExceptionally(e);
            }
        });
        return get(result);
    }
}
