package dev.carillon.benchmarks.signals;

import dev.carillon.benchmarks.worker.Workload;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/** With what the JDK has: its handler, which runs on a new thread each time, completes a future. */
public final class VmSignals implements Workload {
    @Override
    public Map<String, Opener> works() {
        return Map.of("signal", stage -> SignalWork.open(VmSignals::listen, stage));
    }

    private static Listening listen(Runnable heard) {
        AtomicReference<CompletableFuture<Signal>> next = new AtomicReference<>(awaited(heard));
        Signal urgent = new Signal("URG");
        SignalHandler before = Signal.handle(urgent, signal -> {
            CompletableFuture<Signal> due = next.getAndSet(awaited(heard));
            due.complete(signal);
        });
        return () -> Signal.handle(urgent, before);
    }

    private static CompletableFuture<Signal> awaited(Runnable heard) {
        CompletableFuture<Signal> future = new CompletableFuture<>();
        var unused = future.thenRun(heard);
        return future;
    }
}
