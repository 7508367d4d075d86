package dev.carillon.lifecycle;

import dev.carillon.loop.EventLoop;
import dev.carillon.loop.TimerHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Validates a new configuration when HUP comes.
 *
 * <p>States: IDLE; IDLE -> VALIDATING by a request; VALIDATING -> AGAIN by one more, or any number; VALIDATING -> IDLE by
 * the verdict; AGAIN -> VALIDATING by the verdict, which does not count if it is good, since the configuration may have
 * changed meanwhile; AGAIN -> IDLE by the verdict where the last validator was withdrawn meanwhile: those that wait go where a
 * request goes that finds none; any -> IDLE when it is cancelled, as a shutdown has begun.
 *
 * <p><b>Threading:</b> the loop's.
 */
// r[impl life.reload]
final class Reload {
    private static final int STRIKES = 3;

    private final Validators validators;
    private final EventLoop loop;
    private final Duration limit;
    private final Consumer<List<Arrival>> whenValid;
    private final Consumer<Arrival> withoutValidator;
    private final Reports reports;
    private final ServiceManager manager;

    /** What the validation that runs is for. */
    private final List<Arrival> asked = new ArrayList<>();

    /** What came while it ran. */
    private final List<Arrival> waiting = new ArrayList<>();

    private @Nullable Run run;
    private int failures;

    /**
     * Idle.
     *
     * @param limit how long a validation may take
     * @param whenValid gets what asked for it
     * @param withoutValidator gets what has waited until there was no validator left
     */
    Reload(
            Validators validators,
            EventLoop loop,
            Duration limit,
            Consumer<List<Arrival>> whenValid,
            Consumer<Arrival> withoutValidator,
            Reports reports,
            ServiceManager manager) {
        this.validators = validators;
        this.loop = loop;
        this.limit = limit;
        this.whenValid = whenValid;
        this.withoutValidator = withoutValidator;
        this.reports = reports;
        this.manager = manager;
    }

    /** HUP came. */
    void request(Arrival arrival) {
        waiting.add(arrival);
        if (run == null) {
            goOn();
        }
    }

    /** Those that wait have their turn. It is now that there is a validator, or none: none at all cannot agree. */
    private void goOn() {
        List<Validators.Named> all = validators.all();
        List<Arrival> turn = List.copyOf(waiting);
        waiting.clear();
        if (all.isEmpty()) {
            manager.reloadAbandoned();
            settleAll();
            turn.forEach(withoutValidator);
            return;
        }
        asked.addAll(turn);
        Run fresh = new Run(all);
        run = fresh;
        manager.reloading();
        fresh.start();
    }

    /** A shutdown has begun: what is found now does not matter. */
    void cancel() {
        Run cancelled = run;
        if (cancelled != null) {
            cancelled.stop();
            run = null;
        }
        settleAll();
    }

    /**
     * The lifecycle is closed: nobody wants to know any more what is found.
     *
     * @param closer who closes it; a validator that does so goes on undisturbed
     */
    void close(Thread closer) {
        Run abandoned = run;
        if (abandoned != null) {
            manager.reloadAbandoned();
            if (abandoned.thread == closer) {
                abandoned.stopTimer();
                run = null;
            }
        }
        cancel();
    }

    /** One has been found out. */
    private void over(Run ended, @Nullable String refusal, @Nullable Throwable cause) {
        if (run != ended) {
            return;
        }
        ended.stop();
        run = null;
        if (refusal != null) {
            refused(refusal, cause);
        } else if (waiting.isEmpty()) {
            failures = 0;
            List<Arrival> valid = List.copyOf(asked);
            asked.clear();
            whenValid.accept(valid);
            return;
        }
        if (waiting.isEmpty()) {
            settleAll();
        } else {
            goOn();
        }
    }

    private void refused(String validator, @Nullable Throwable cause) {
        failures++;
        Map<String, String> tags = Map.of("failures", Integer.toString(failures));
        reports.log().reloadRefused(validator, failures, cause);
        manager.reloadRefused(validator);
        reports.telemetry().emit(Telemetry.RELOAD_REFUSED, tags);
        if (failures >= STRIKES) {
            reports.log().reloadKeepsFailing(failures);
            reports.telemetry().emit(Telemetry.RELOAD_FAILURES, tags);
        }
    }

    private void settleAll() {
        asked.addAll(waiting);
        waiting.clear();
        asked.forEach(arrival -> arrival.settled(0));
        asked.clear();
    }

    /** One validation. */
    private final class Run {
        private final Thread thread = new Thread(this::validate, "carillon-reload");
        private final List<Validators.Named> all;
        private @Nullable TimerHandle timer;
        private volatile String current = "";

        Run(List<Validators.Named> all) {
            this.all = all;
        }

        void start() {
            thread.setDaemon(true);
            timer = loop.schedule(limit, this::tooLong);
            thread.start();
        }

        private void validate() {
            for (Validators.Named validator : all) {
                current = validator.name();
                try {
                    validator.validate();
                } catch (Throwable thrown) {
                    tell(validator.name(), thrown);
                    return;
                }
            }
            tell(null, null);
        }

        private void tell(@Nullable String refusal, @Nullable Throwable cause) {
            try {
                loop.execute(() -> over(this, refusal, cause));
            } catch (RejectedExecutionException closed) {
                // Nobody wants to know any more.
            }
        }

        private void tooLong() {
            over(this, current, new IllegalStateException("it did not return within " + limit.toSeconds() + " s"));
        }

        void stopTimer() {
            TimerHandle pending = timer;
            if (pending != null) {
                pending.cancel();
            }
        }

        void stop() {
            stopTimer();
            Threads.interrupt(thread);
        }
    }
}
