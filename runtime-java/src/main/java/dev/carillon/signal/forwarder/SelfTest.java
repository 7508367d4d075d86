package dev.carillon.signal.forwarder;

import static dev.carillon.sys.layout.Constants.RLIMIT_SIGPENDING;
import static dev.carillon.sys.layout.Constants.SI_QUEUE;
import static dev.carillon.sys.layout.Constants.SI_USER;
import static dev.carillon.sys.layout.SiginfoLayout.SI_CODE;
import static dev.carillon.sys.layout.SiginfoLayout.SI_PID;
import static dev.carillon.sys.layout.SiginfoLayout.SI_VALUE;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.sys.Errno;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.SiginfoLayout;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Sends each signal the whole way, from the loop thread to itself, and one of them by the carrier. What it sends reaches
 * no service, even where the kernel has lost what marks it.
 *
 * <p><b>Threading:</b> the loop's.
 */
// r[impl signal.self-test]
final class SelfTest {
    private final Sys sys;
    private final ThreadMasks masks;
    private final int pid;
    private final long probe;
    private SignalSet tested = SignalSet.empty();
    private SignalSet probed = SignalSet.empty();

    /** Those that came without any details, one each: the probe, or that of another process. */
    private SignalSet bare = SignalSet.empty();

    SelfTest(Sys sys, ThreadMasks masks) {
        this.sys = sys;
        this.masks = masks;
        pid = sys.processes().pid();
        probe = RandomNumbers.next(sys);
    }

    /**
     * Returns those that did not come back.
     *
     * @param drain has what has come for these signals read
     * @param stranger gets a signal that came meanwhile and was not ours
     */
    SignalSet run(SignalSet signals, Consumer<SignalSet> drain, Consumer<Signal> stranger) {
        if (signals.isEmpty()) {
            return signals;
        }
        SignalSet untried = SignalSet.empty();
        probed = SignalSet.empty();
        bare = SignalSet.empty();
        tested = signals;
        try {
            for (Signal signal : signals) {
                if (queue(signal) == -Errno.EAGAIN) {
                    untried = untried.plus(signal);
                }
            }
            drain.accept(signals);
        } finally {
            tested = SignalSet.empty();
        }
        for (Signal signal : bare) {
            if (probed.contains(signal)) {
                // The probe has come as it was, so another process has sent this.
                stranger.accept(signal);
            }
        }
        SignalSet missing = signals.minus(probed).minus(untried);
        return missing.isEmpty() ? byCarrier(signals, untried, drain) : missing;
    }

    private SignalSet byCarrier(SignalSet signals, SignalSet untried, Consumer<SignalSet> drain) {
        Signal any = signals.iterator().next();
        probed = SignalSet.empty();
        boolean isFull = masks.queueToCarrier(masks.thread(), any.number(), probe) == -Errno.EAGAIN;
        drain.accept(SignalSet.of(any));
        if (isFull || !untried.isEmpty()) {
            warn(untried);
        }
        return isFull ? SignalSet.empty() : SignalSet.of(any).minus(probed);
    }

    private void warn(SignalSet untried) {
        SignalLog.LOG.warn(
                "The kernel's queue of signals of this user is full (RLIMIT_SIGPENDING, ulimit -i, is {} here; SigQ in "
                        + "/proc/*/status says who fills it). {} attached nevertheless, but untried: real-time signals "
                        + "do not come while it is full, and signals beyond a full pipe come without their sender. "
                        + "Raise the limit, or end what fills the queue.",
                sys.processes().limit(RLIMIT_SIGPENDING).soft(),
                untried.isEmpty() ? "What you named is" : untried + " is");
    }

    /**
     * Standard signals with a code that a thread may send to itself only: those the kernel queues beyond the limit, too.
     * Without a place it would deliver them without our mark. A real-time signal it refuses then.
     */
    private int queue(Signal signal) {
        try (NativeBytes siginfo = NativeBytes.allocate(sys.libc(), ForwarderLayout.SIGINFO)) {
            ByteBuffer info = siginfo.bytes();
            SiginfoLayout.putQueued(
                    info, 0, signal.number(), pid, sys.processes().uid(), probe);
            info.putInt(SI_CODE, signal.isRealtime() ? SI_QUEUE : SI_USER);
            return sys.signals().forwardToThread(pid, masks.thread(), signal.number(), siginfo.address());
        }
    }

    /** Whether a record that has come is none of a service. */
    boolean takes(Signal signal, int code, ByteBuffer info, int at) {
        if ((code == SI_QUEUE || code == SI_USER)
                && info.getLong(at + SI_VALUE) == probe
                && info.getInt(at + SI_PID) == pid) {
            probed = probed.plus(signal);
            return true;
        }
        if (code == SI_USER && info.getInt(at + SI_PID) == 0 && tested.contains(signal) && !bare.contains(signal)) {
            bare = bare.plus(signal);
            return true;
        }
        return false;
    }
}
