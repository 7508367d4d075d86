package dev.carillon.loop;

import dev.carillon.loop.access.ErrorSink;
import dev.carillon.sys.StackRoom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The services of a loop: it closes them before it ends, the last one first. <b>Threading:</b> any thread, under a lock. */
final class LoopServices {
    private final LoopState state;
    private final ErrorSink errors;
    private final Deque<LoopService> services = new ArrayDeque<>();
    private boolean closed;

    LoopServices(LoopState state, ErrorSink errors) {
        this.state = state;
        this.errors = errors;
    }

    synchronized void add(LoopService service) {
        StackRoom.ensure();
        if (closed) {
            throw state.refused();
        }
        services.push(Objects.requireNonNull(service, "service"));
    }

    synchronized boolean remove(LoopService service) {
        StackRoom.ensure();
        return services.removeFirstOccurrence(service);
    }

    private synchronized @Nullable LoopService next() {
        LoopService next = services.poll();
        closed = next == null;
        return next;
    }

    private synchronized List<LoopService> copy() {
        return List.copyOf(services);
    }

    /** Calls every service, since the loop may never come to closing them; on the thread of the hook. */
    void tellOfExit() {
        for (LoopService service : copy()) {
            try {
                service.onExit();
            } catch (RuntimeException | Error thrown) {
                errors.report(thrown);
            }
        }
    }

    /** Calls every service once; on the loop thread. */
    void closeAll() {
        LoopService service;
        while ((service = next()) != null) {
            try {
                service.onLoopEnd();
            } catch (Throwable thrown) {
                errors.report(thrown);
            }
        }
    }
}
