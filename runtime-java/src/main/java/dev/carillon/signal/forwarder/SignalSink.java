package dev.carillon.signal.forwarder;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import java.util.concurrent.Executor;

/**
 * What a capture reports to: one service, as far as the capture knows it.
 *
 * <p><b>Threading:</b> called on the loop thread.
 */
public interface SignalSink {
    /**
     * A signal came.
     *
     * @param now when the loop learnt of it, on the loop's clock
     * @param turn runs what follows from it: at the end of the reader's turn, where a reader brings it, else as a task
     */
    void arrived(SignalInfo info, long now, Executor turn);

    /** A signal came while it was attached, and has been detached since. */
    void arrivedLate(Signal signal);

    /** Signals came without their details: one call for all that came so since the last one. */
    void arrivedWithoutSender(Signal signal, long now);

    /** How many more records of a real-time signal may come; if none, the action is run when there is room. */
    int room(Signal signal, Runnable whenRoom);
}
