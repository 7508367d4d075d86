package dev.carillon.samples;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.SignalSet;
import dev.carillon.signal.SignalService;
import java.util.concurrent.CompletionStage;

/** Reads its settings again with each SIGHUP, and ends in good order with SIGTERM or Ctrl-C. */
public final class AwaitSignalJava {
    private static final SignalService SIGNALS = SignalService.shared();
    private static final SignalSet ENDS = SignalSet.of(Signal.SIGTERM, Signal.SIGINT);

    public static void main(String[] arguments) {
        SIGNALS.prepare(ENDS.plus(Signal.SIGHUP)).join();
        onHangup();
        CompletionStage<SignalInfo> end = SIGNALS.awaitAny(ENDS);
        System.out.println("pid " + ProcessHandle.current().pid() + " waits; try kill -HUP, then kill");
        SignalInfo last = end.toCompletableFuture().join();
        System.out.println("closing in good order, as pid " + last.pid() + " wants it");
    }

    private static CompletionStage<Void> onHangup() {
        return SIGNALS.await(Signal.SIGHUP).thenAccept(hangup -> {
            System.out.println("reading the settings again");
            onHangup();
        });
    }
}
