package dev.carillon.io;

import dev.carillon.loop.access.LoopAccess;
import dev.carillon.loop.access.LoopCommand;
import dev.carillon.loop.access.LoopStage;
import java.util.concurrent.CompletableFuture;

/**
 * A new handle, whose descriptor another handle has let go of. Its own loop tells that it is there. Where that loop has ended
 * meanwhile, or nobody waits for the handle, the descriptor is closed.
 */
// r[impl io.move]
final class Arriving<H extends Handle> extends LoopCommand {
    private final H handle;
    private final LoopStage<H> told;

    /** For a handle that nobody knows yet. */
    Arriving(H handle) {
        this.handle = handle;
        told = new LoopStage<>(handle.loop());
    }

    CompletableFuture<H> told() {
        return told;
    }

    /** The descriptor is the new handle's from now on. On the thread of the old loop, or any if that has ended. */
    void send() {
        boolean isSent = false;
        try {
            isSent = handle.loop().command(this);
        } finally {
            if (!isSent) {
                refuse();
            }
        }
    }

    @Override
    public void onLoop() {
        if (handle.loop().isEnding()) {
            refuse();
        } else if (!told.complete(handle)) {
            handle.close();
        }
    }

    private void refuse() {
        LoopAccess loop = handle.loop();
        try {
            handle.discard();
        } finally {
            told.completeExceptionally(loop.refused());
        }
    }
}
