package dev.carillon.io.backend;

import dev.carillon.loop.access.PolledLoop;
import dev.carillon.loop.access.Poller;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import jdk.jfr.FlightRecorder;

/**
 * Does the operations of handles: it takes requests and completes them, by whatever means.
 *
 * <p>It passes every request that it gets to {@link #deliver}, once. It never calls a completion from within {@link #start}.
 *
 * <p><b>Threading:</b> the loop thread.
 */
public abstract class Backend implements Poller {
    private final PolledLoop loop;
    private final Map<Request.Kind, Count> counts = new EnumMap<>(Request.Kind.class);

    /** Nothing was asked yet. */
    protected Backend(PolledLoop loop) {
        Request.rehearse();
        this.loop = loop;
        for (Request.Kind kind : Request.Kind.values()) {
            counts.put(kind, new Count());
        }
    }

    /** Begins a request. */
    public abstract void start(Request request);

    /** Ends a request that waits, as failed. Does nothing if it does not wait any more. */
    public abstract void cancel(Request request, Throwable cause);

    /** Tries the requests on the input of a target again: what they wait for has come without the kernel. */
    public abstract void retry(Target target);

    /** Fails what waits on a target and forgets its descriptor, which the handle closes next. */
    public abstract void release(Target target, Throwable cause);

    /** Delivers a request that was not begun, as failed. */
    public final void refuse(Request request, Throwable cause) {
        request.fail(cause);
        deliver(request);
    }

    /** Delivers a request that is done: the loop calls its completion after this poll. */
    protected final void deliver(Request request) {
        Count count = counts.get(request.kind);
        if (count != null) {
            count.value++;
        }
        request.delivering();
        loop.completed(request);
        Throwable failure = request.failure();
        if (failure != null) {
            record(request, failure);
        }
    }

    /** Does not load the class of the event while no flight recorder was ever switched on. */
    private void record(Request request, Throwable failure) {
        if (FlightRecorder.isInitialized()) {
            try {
                OperationFailedEvent.record(loop.name(), request.kind.name(), failure);
            } catch (OutOfMemoryError memoryIsShort) {
                loop.report(memoryIsShort);
            }
        }
    }

    @Override
    public final Map<String, Long> completed() {
        Map<String, Long> byKind = new LinkedHashMap<>();
        counts.forEach((kind, count) -> byKind.put(kind.name(), count.value));
        return byKind;
    }

    private static final class Count {
        private long value;
    }
}
