package dev.carillon.loop;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Gives operations back to the loop, and counts them. <b>Threading:</b> the loop thread; byKind: any. */
final class OperationDeliveries {
    private final PollingLoop loop;
    private final Map<Operation.Kind, Count> counts = new EnumMap<>(Operation.Kind.class);

    OperationDeliveries(PollingLoop loop) {
        this.loop = loop;
        for (Operation.Kind kind : Operation.Kind.values()) {
            counts.put(kind, new Count());
        }
    }

    void deliver(Operation operation) {
        Count count = counts.get(operation.kind);
        if (count != null) {
            count.value++;
        }
        operation.delivering();
        loop.work().completions.add(operation);
        Throwable failure = operation.failure();
        if (failure != null) {
            LoopEvents.operationFailed(loop, operation.kind.name(), failure);
        }
    }

    Map<String, Long> byKind() {
        Map<String, Long> byKind = new LinkedHashMap<>();
        counts.forEach((kind, count) -> byKind.put(kind.name(), count.value));
        return byKind;
    }

    private static final class Count {
        private long value;
    }
}
