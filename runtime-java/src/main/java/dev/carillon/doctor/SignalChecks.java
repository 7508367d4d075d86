package dev.carillon.doctor;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.BackendKind;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.CaptureKind;
import dev.carillon.signal.SignalService;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** How signals get to a loop here: one is attached for a moment, and sent the whole way. */
final class SignalChecks {
    /** One that nothing happens by, should it come just then. */
    private static final Signal HARMLESS = Signal.SIGURG;

    private SignalChecks() {}

    static List<Check> run() {
        if (!BackendKind.AUTO.availability().isAvailable()) {
            return List.of(Check.problem(
                    "signals",
                    "no event loop: " + BackendKind.AUTO.availability(),
                    "Signals need a loop; see the lines above."));
        }
        AtomicReference<Check> found = new AtomicReference<>();
        try (EventLoop loop = EventLoop.open()) {
            loop.execute(() -> found.set(attach(loop)));
            loop.runUntilEmpty();
        }
        return List.of(found.get());
    }

    private static Check attach(EventLoop loop) {
        try (SignalService service = SignalService.attach(loop, SignalSet.of(HARMLESS))) {
            SignalSet displaced = service.displaced();
            return displaced.isEmpty() ? of(service.capture(), service.captureReason()) : ofDisplaced(displaced);
        } catch (UnsupportedOperationException | IllegalArgumentException | IllegalStateException refused) {
            return Check.problem(
                    "signals",
                    String.valueOf(refused.getMessage()),
                    "Leave -Dcarillon.signals out, it decides by itself.");
        }
    }

    // r[impl signal.displaced]
    static Check ofDisplaced(SignalSet displaced) {
        return Check.problem(
                "signals",
                "somebody else's handler lies over ours already: " + displaced,
                "A library in this process installs handlers of its own, perhaps one in LD_PRELOAD. Take it out, or look at"
                        + " SignalService.displaced() in your program, and release what is named there.");
    }

    // r[impl signal.attach]
    static Check of(CaptureKind capture, String reason) {
        return capture == CaptureKind.FORWARDER
                ? Check.ok("signals", "forwarder: " + reason)
                : Check.note(
                        "signals",
                        "jvm: " + reason,
                        "Signals come without their sender, and QUIT, USR2 and real-time signals cannot be attached.");
    }
}
