package dev.carillon.signal;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.signal.forwarder.CarrierChoice;
import dev.carillon.signal.forwarder.Forwarder;
import dev.carillon.signal.forwarder.VmSignals;

/** The signals that no service can have. */
final class ForbiddenSignals {
    private static final SignalSet OF_THE_KERNEL = SignalSet.of(Signal.SIGKILL, Signal.SIGSTOP);
    private static final SignalSet FAULTS =
            SignalSet.of(Signal.SIGSEGV, Signal.SIGBUS, Signal.SIGFPE, Signal.SIGILL, Signal.SIGTRAP);
    private static final SignalSet OF_GLIBC = SignalSet.of(Signal.of(32), Signal.of(33));

    private ForbiddenSignals() {}

    /**
     * Returns if all can be attached as far as this is known without trying.
     *
     * @throws IllegalArgumentException for the first that cannot
     */
    static void check(SignalSet signals) {
        Signal carrier = Forwarder.carrierInUse();
        for (Signal signal : signals) {
            if (OF_THE_KERNEL.contains(signal)) {
                throw refused(signal, "the kernel lets nobody handle it; leave it out");
            }
            if (FAULTS.contains(signal)) {
                throw refused(
                        signal, "it reports a fault of the thread that gets it, and the VM needs it; leave it out");
            }
            if (OF_GLIBC.contains(signal)) {
                throw refused(signal, "the C library keeps it to itself; real-time signals begin with SIGRTMIN");
            }
            if (signal.equals(VmSignals.OF_THE_JDK)) {
                throw refused(signal, "the JDK wakes threads with it; take another real-time signal");
            }
            if (carrier != null && carrier.equals(signal)) {
                throw refused(
                        signal,
                        "it carries the other signals; take another one, or name another carrier with -D"
                                + CarrierChoice.PROPERTY + "=SIGRTMIN+n");
            }
        }
    }

    private static IllegalArgumentException refused(Signal signal, String why) {
        return new IllegalArgumentException("signal=" + signal + " cannot be attached: " + why);
    }
}
