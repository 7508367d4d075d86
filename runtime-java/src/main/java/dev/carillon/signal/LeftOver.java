package dev.carillon.signal;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.signal.forwarder.SignalLog;
import java.util.function.Consumer;

/**
 * Signals that came to a service that lends, and that it had given up when somebody could have used them: they are sent to the
 * process again, so that none is lost between two who have the signal. Real-time signals are dropped, as what is held back of
 * them, and so is everything at a service that does not lend.
 *
 * <p><b>Threading:</b> the loop's, but {@link #raise}.
 */
// r[impl signal.left-over]
final class LeftOver {
    private final boolean isRaised;
    private final Consumer<Signal> process;
    private SignalSet collected = SignalSet.empty();
    private boolean isCollecting;

    /**
     * None yet.
     *
     * @param isRaised whether they are sent to the process, or dropped
     * @param process sends a signal that is not attached here to this process
     */
    LeftOver(boolean isRaised, Consumer<Signal> process) {
        this.isRaised = isRaised;
        this.process = process;
    }

    /**
     * Gives signals up. Returns those that came up to then, which the caller raises; standard signals merge, so each is there
     * once. What comes later is raised at once.
     */
    SignalSet during(Runnable giveUp) {
        isCollecting = true;
        try {
            giveUp.run();
        } finally {
            isCollecting = false;
        }
        SignalSet came = collected;
        collected = SignalSet.empty();
        return came;
    }

    /** One that nobody has got. */
    void add(Signal signal) {
        if (!isRaised || signal.isRealtime()) {
            return;
        }
        if (isCollecting) {
            collected = collected.plus(signal);
        } else {
            raise(signal);
        }
    }

    /** Sends one to the process, whoever has it now. Any thread. */
    void raise(Signal signal) {
        try {
            process.accept(signal);
        } catch (RuntimeException refused) {
            SignalLog.LOG.warn(
                    "{} came before it was given back to the process, and could not be raised again", signal, refused);
        }
    }
}
