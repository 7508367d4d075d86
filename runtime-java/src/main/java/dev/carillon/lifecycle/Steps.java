package dev.carillon.lifecycle;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What a shutdown is to do, in its order. <b>Threading:</b> any thread. */
final class Steps {
    private final Map<Phase, List<Step>> phases = new EnumMap<>(Phase.class);
    private boolean hasBegun;

    /** The parts of a shutdown, in their order. */
    enum Phase {
        STOP_ACCEPTING,
        DRAIN,
        CLEANUP
    }

    /** One of them; each is its own, whatever its name. */
    static final class Step {
        private final Phase phase;
        private final String name;
        private final ShutdownHook hook;

        private Step(Phase phase, String name, ShutdownHook hook) {
            this.phase = phase;
            this.name = name;
            this.hook = hook;
        }

        void run() throws Exception {
            hook.run();
        }

        String name() {
            return name;
        }

        Phase phase() {
            return phase;
        }
    }

    Steps() {
        for (Phase phase : Phase.values()) {
            phases.put(phase, new ArrayList<>());
        }
    }

    synchronized Registration add(Phase phase, String name, ShutdownHook hook) {
        Objects.requireNonNull(name, "name");
        Step step = new Step(phase, name, Objects.requireNonNull(hook, "hook"));
        if (hasBegun) {
            throw new IllegalStateException("the shutdown hook '" + name
                    + "' came too late: the shutdown has begun; register it when the program starts");
        }
        of(phase).add(step);
        return () -> remove(step);
    }

    private List<Step> of(Phase phase) {
        return Objects.requireNonNull(phases.get(phase));
    }

    private synchronized void remove(Step step) {
        of(step.phase).remove(step);
    }

    /** All of them as they are to run: hooks of the cleanup last first. From now on none can be added. */
    // r[impl life.shutdown]
    synchronized List<Step> begin() {
        hasBegun = true;
        List<Step> all = new ArrayList<>(of(Phase.STOP_ACCEPTING));
        all.addAll(of(Phase.DRAIN));
        List<Step> cleanup = of(Phase.CLEANUP);
        for (int i = cleanup.size() - 1; i >= 0; i--) {
            all.add(cleanup.get(i));
        }
        return all;
    }

    /** After a shutdown that ended nothing. */
    synchronized void reopen() {
        hasBegun = false;
    }
}
