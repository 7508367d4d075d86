package dev.carillon.process;

import dev.carillon.Signal;
import dev.carillon.sys.call.SignalAction;
import dev.carillon.sys.call.SignalCalls;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.SigsetLayout;

/**
 * The signals that were ignored when this process began, as far as that can still be seen: the VM leaves SIGHUP, SIGINT
 * and SIGTERM ignored if they were, and replaces what it needs, SIGPIPE for one. Looked at once, at the first start of a
 * child.
 */
final class IgnoredSignals {
    static final long AT_START = look(Sys.get().signals());

    private IgnoredSignals() {}

    private static long look(SignalCalls signals) {
        long ignored = 0;
        for (Signal signal : dev.carillon.SignalSet.all()) {
            // glibc keeps 32 and 33 for itself and refuses to tell.
            boolean askable = signal.isRealtime() || signal.number() <= Signal.SIGSYS.number();
            if (askable && signals.action(signal.number()).handler() == SignalAction.IGNORE) {
                ignored |= SigsetLayout.bit(signal.number());
            }
        }
        return ignored;
    }
}
