package dev.carillon.shm.doorbell;

import java.util.concurrent.CompletableFuture;

/** Completes a future, and is forgotten when somebody else completes it. <b>Threading:</b> called on the loop thread. */
final class FutureReceiver implements EventReceiver {
    private final CompletableFuture<DoorbellEvent> future;
    private boolean told;

    FutureReceiver(AsyncDoorbell bell, CompletableFuture<DoorbellEvent> future) {
        this.future = future;
        var unused = future.whenComplete((event, failure) -> {
            if (!told) {
                bell.forget(this);
            }
        });
    }

    @Override
    public boolean tryReceive(DoorbellEvent event) {
        told = true;
        return future.complete(event);
    }

    @Override
    public void refused(RuntimeException why) {
        told = true;
        future.completeExceptionally(why);
    }

    @Override
    public boolean isWaiting() {
        return !future.isDone();
    }
}
