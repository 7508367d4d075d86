package dev.carillon.sys.call;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.sys.layout.SigsetLayout;

/**
 * The signals that were ignored when this process began, as far as that can still be seen: the VM leaves SIGHUP, SIGINT
 * and SIGTERM ignored if they were, and replaces what it needs, SIGPIPE for one. Looked at once, before anything of ours
 * changes a disposition.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl process.ignored]
final class StartDispositions {
    private static volatile boolean isKnown;
    private static long ignored;

    private StartDispositions() {}

    static long ignored(SignalCalls signals) {
        return isKnown ? ignored : look(signals);
    }

    private static synchronized long look(SignalCalls signals) {
        if (!isKnown) {
            for (Signal signal : SignalSet.all()) {
                // glibc keeps 32 and 33 for itself and refuses to tell.
                boolean askable = signal.isRealtime() || signal.number() <= Signal.SIGSYS.number();
                if (askable && signals.action(signal.number()).handler() == SignalAction.IGNORE) {
                    ignored |= SigsetLayout.bit(signal.number());
                }
            }
            isKnown = true;
        }
        return ignored;
    }
}
