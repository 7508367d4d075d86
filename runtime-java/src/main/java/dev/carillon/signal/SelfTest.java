package dev.carillon.signal;

import static dev.carillon.sys.layout.Constants.RLIMIT_SIGPENDING;
import static dev.carillon.sys.layout.Constants.SI_QUEUE;
import static dev.carillon.sys.layout.Constants.SI_USER;
import static dev.carillon.sys.layout.SiginfoLayout.SI_CODE;
import static dev.carillon.sys.layout.SiginfoLayout.SI_PID;
import static dev.carillon.sys.layout.SiginfoLayout.SI_VALUE;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.sys.Errno;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.SiginfoLayout;
import java.nio.ByteBuffer;

/**
 * Sends each signal the whole way, from the loop thread to itself, and one of them by the carrier. What it sends reaches
 * no service, even where the kernel has lost what marks it.
 *
 * <p><b>Threading:</b> the loop's.
 */
// r[impl signal.self-test]
final class SelfTest {
    private final LoopCarrier carrier;
    private final Sys sys;
    private final NativeBytes bytes;
    private final int pid;
    private final long probe;
    private SignalSet tested = SignalSet.empty();
    private SignalSet probed = SignalSet.empty();

    /** Those that came without any details, one each: the probe, or a stranger's. */
    private SignalSet bare = SignalSet.empty();

    SelfTest(LoopCarrier carrier, Sys sys, NativeBytes bytes) {
        this.carrier = carrier;
        this.sys = sys;
        this.bytes = bytes;
        pid = sys.processes().pid();
        probe = Secrets.next(sys);
    }

    /** Returns those that did not come back. */
    SignalSet run(SignalSet signals) {
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
            drain(signals);
        } finally {
            tested = SignalSet.empty();
        }
        for (Signal signal : bare) {
            if (probed.contains(signal)) {
                // The probe has come as it was, so this is somebody else's.
                carrier.arrivedAfterAll(signal, SignalInfo.of(signal));
            }
        }
        SignalSet missing = signals.minus(probed).minus(untried);
        return missing.isEmpty() ? byCarrier(signals, untried) : missing;
    }

    private SignalSet byCarrier(SignalSet signals, SignalSet untried) {
        Signal any = signals.iterator().next();
        probed = SignalSet.empty();
        boolean isFull = carrier.queueToCarrier(carrier.thread(), any.number(), probe) == -Errno.EAGAIN;
        drain(SignalSet.of(any));
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
        ByteBuffer info = bytes.bytes();
        for (int at = 0; at < ForwarderLayout.SIGINFO; at += Long.BYTES) {
            info.putLong(at, 0);
        }
        SiginfoLayout.putQueued(info, 0, signal.number(), pid, sys.processes().uid(), probe);
        info.putInt(SI_CODE, signal.isRealtime() ? SI_QUEUE : SI_USER);
        return sys.signals().forwardToThread(pid, carrier.thread(), signal.number(), bytes.address());
    }

    private void drain(SignalSet signals) {
        carrier.drain();
        signals.forEach(carrier::drain);
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
