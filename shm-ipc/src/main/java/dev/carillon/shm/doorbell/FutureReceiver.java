package dev.carillon.shm.doorbell;

import java.util.concurrent.CompletableFuture;

/** Completes a future, and is forgotten when other code completes it. <b>Threading:</b> called on the loop thread. */
final class FutureReceiver implements EventReceiver {
    private final CompletableFuture<DoorbellEvent> future;
    private boolean settled;

    FutureReceiver(AsyncDoorbell bell, CompletableFuture<DoorbellEvent> future) {
        this.future = future;
        var unused = future.whenComplete((event, failure) -> {
            if (!settled) {
                bell.forget(this);
            }
        });
    }

    @Override
    public boolean tryReceive(DoorbellEvent event) {
        settled = true;
        return future.complete(event);
    }

    @Override
    public void refused(RuntimeException why) {
        settled = true;
        future.completeExceptionally(why);
    }

    @Override
    public boolean isWaiting() {
        return !future.isDone();
    }
}
