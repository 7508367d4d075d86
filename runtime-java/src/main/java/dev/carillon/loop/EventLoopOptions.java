package dev.carillon.loop;

import dev.carillon.SignalSet;
import dev.carillon.sys.call.Epoll;
import java.time.Duration;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * How to make a loop; {@code EventLoopOptions.builder().name("orders").build()}.
 *
 * @param backend the interface of the kernel
 * @param name of the loop and of its thread
 * @param daemon whether the thread of {@link EventLoop#start} lets the VM end
 * @param errorHandler gets what callbacks throw
 * @param batch how many tasks, completions and timers each one iteration runs at most
 * @param events how many events one poll brings at most
 * @param scratch bytes of native memory through which heap buffers pass
 * @param blockedAfter how long a callback may block before the watchdog reports it; zero means no watchdog
 * @param slowIteration an iteration of this length or more is a flight-recorder event
 * @param mask signals that the thread of {@link EventLoop#start} blocks before it runs
 * @param backlog how many tasks and operations of other threads may wait before the loop refuses more
 * @param throughExit whether the loop goes on while the VM exits, until the process has ended
 * @param clock the clock of timers; another one than System.nanoTime() is for tests
 */
public record EventLoopOptions(
        BackendKind backend,
        String name,
        boolean daemon,
        LoopErrorHandler errorHandler,
        int batch,
        int events,
        int scratch,
        Duration blockedAfter,
        Duration slowIteration,
        SignalSet mask,
        int backlog,
        boolean throughExit,
        LongSupplier clock) {
    /** The backlog of a loop without a bound. */
    public static final int UNBOUNDED = Integer.MAX_VALUE;

    /** Checks the numbers. */
    public EventLoopOptions {
        Objects.requireNonNull(backend, "backend");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(errorHandler, "errorHandler");
        positive("batch", batch);
        positive("events", events);
        if (events > Epoll.MAX_EVENTS) {
            throw new IllegalArgumentException("events=" + events + ": at most " + Epoll.MAX_EVENTS
                    + ", and each takes memory for as long as the loop is open; a loop polls again for what is left");
        }
        positive("scratch", scratch);
        positive("backlog", backlog);
        Objects.requireNonNull(blockedAfter, "blockedAfter");
        Objects.requireNonNull(slowIteration, "slowIteration");
        Objects.requireNonNull(mask, "mask");
        Objects.requireNonNull(clock, "clock");
        if (blockedAfter.isNegative() || slowIteration.isNegative()) {
            throw new IllegalArgumentException(
                    "blockedAfter=" + blockedAfter + ", slowIteration=" + slowIteration + ": not negative");
        }
    }

    private static void positive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + "=" + value + ": at least 1");
        }
    }

    /** What {@link EventLoop#open()} uses. */
    public static EventLoopOptions defaults() {
        return builder().build();
    }

    /** A builder that begins with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that begins with these options. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.backend = backend;
        builder.name = name;
        builder.daemon = daemon;
        builder.errorHandler = errorHandler;
        builder.batch = batch;
        builder.events = events;
        builder.scratch = scratch;
        builder.blockedAfter = blockedAfter;
        builder.slowIteration = slowIteration;
        builder.mask = mask;
        builder.backlog = backlog;
        builder.throughExit = throughExit;
        builder.clock = clock;
        return builder;
    }

    /** Collects options. <b>Threading:</b> one thread. */
    public static final class Builder {
        private BackendKind backend = BackendKind.AUTO;
        private String name = "carillon-loop";
        private boolean daemon;
        private LoopErrorHandler errorHandler = LoopErrorHandler.logging();
        private int batch = 256;
        private int events = 256;
        private int scratch = 64 * 1024;
        private Duration blockedAfter = Duration.ZERO;
        private Duration slowIteration = Duration.ofMillis(20);
        private SignalSet mask = SignalSet.empty();
        private int backlog = UNBOUNDED;
        private boolean throughExit;
        private LongSupplier clock = System::nanoTime;

        private Builder() {}

        /** Default AUTO. */
        public Builder backend(BackendKind value) {
            backend = value;
            return this;
        }

        /** Default carillon-loop. */
        public Builder name(String value) {
            name = value;
            return this;
        }

        /** Default false: a loop that was started keeps the VM alive until it is stopped. */
        public Builder daemon(boolean value) {
            daemon = value;
            return this;
        }

        /** Default: log it. */
        public Builder errorHandler(LoopErrorHandler value) {
            errorHandler = value;
            return this;
        }

        /** Default 256. */
        public Builder batch(int value) {
            batch = value;
            return this;
        }

        /** Default 256. */
        public Builder events(int value) {
            events = value;
            return this;
        }

        /** Default 64 KiB. */
        public Builder scratch(int value) {
            scratch = value;
            return this;
        }

        /** Default zero: no watchdog. Its thread exists only with this option. */
        public Builder blockedAfter(Duration value) {
            blockedAfter = value;
            return this;
        }

        /** Default 20 ms. */
        public Builder slowIteration(Duration value) {
            slowIteration = value;
            return this;
        }

        /** Default none. Signals of faults, such as SIGSEGV, are never blocked: the VM cannot live without them. */
        public Builder mask(SignalSet value) {
            mask = value;
            return this;
        }

        /**
         * Default UNBOUNDED. While so many wait for the loop, it refuses a task or operation of another thread with a
         * RejectedExecutionException. Where several threads post at once, each may come one beyond that.
         *
         * <p>The loop always takes timers, cancels and closes, and what its own thread posts. Timers, cancels and closes
         * that are on their way count, too.
         */
        public Builder backlog(int value) {
            backlog = value;
            return this;
        }

        /**
         * Default false: the exit of the VM stops the loop. With true it goes on until the process has ended. It does not
         * block in the kernel meanwhile, which would hold up the exit, but looks every few milliseconds for what came.
         */
        public Builder throughExit(boolean value) {
            throughExit = value;
            return this;
        }

        /** Default System::nanoTime. */
        public Builder clock(LongSupplier value) {
            clock = value;
            return this;
        }

        /** The options. */
        public EventLoopOptions build() {
            return new EventLoopOptions(
                    backend,
                    name,
                    daemon,
                    errorHandler,
                    batch,
                    events,
                    scratch,
                    blockedAfter,
                    slowIteration,
                    mask,
                    backlog,
                    throughExit,
                    clock);
        }
    }
}
