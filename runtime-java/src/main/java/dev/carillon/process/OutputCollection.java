package dev.carillon.process;

import dev.carillon.ClosedException;
import dev.carillon.ExitStatus;
import dev.carillon.Signal;
import dev.carillon.io.Descriptor;
import dev.carillon.io.Operation;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.LoopService;
import dev.carillon.loop.TimerHandle;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A child whose output is collected, see {@link Spawn.Builder#collect}.
 *
 * <pre>{@code
 * OutputCollection status = Spawn.command("git", "status").collect(loop);
 * status.output().thenAccept(output -> System.out.print(output.stdoutText()));
 * }</pre>
 *
 * <p><b>Threading:</b> any thread. A lock guards what the loop and the end of the child tell; nobody is called under it.
 *
 * <p><b>Ownership:</b> nothing is to be closed. The child does not outlive a future that was cancelled or has failed.
 */
public final class OutputCollection {
    private final Object lock = new Object();
    private final LoopService service = new Service();
    private final EventLoop loop;
    private final Child child;
    private final OutputOptions options;
    private final CompletableFuture<Output> output;
    private final PipeReader stdout;
    private final PipeReader stderr;
    private @Nullable ExitStatus exit;
    private @Nullable TimerHandle timer;
    private boolean isTimedOut;
    private boolean isSettled;

    private OutputCollection(EventLoop loop, Child child, OutputOptions options) {
        this.loop = loop;
        this.child = child;
        this.options = options;
        output = loop.newFuture();
        stdout = new PipeReader(lock, child.pipe(1), options.limit, this::finish);
        stderr = new PipeReader(lock, child.pipe(2), options.limit, this::finish);
    }

    /** If this fails, the child is ended: the caller would never learn of it. */
    static OutputCollection of(EventLoop loop, Child child, OutputOptions options) {
        OutputCollection collection = null;
        boolean begun = false;
        try {
            collection = new OutputCollection(loop, child, options);
            collection.begin();
            begun = true;
            return collection;
        } finally {
            if (!begun) {
                child.watch.sendToAll(Signal.SIGKILL);
                child.close();
                if (collection != null) {
                    loop.unregister(collection.service);
                }
            }
        }
    }

    private void begin() {
        loop.register(service);
        stdout.begin();
        stderr.begin();
        feed();
        if (options.timeout != null) {
            setTimer(loop.schedule(options.timeout, this::timeIsOver));
        }
        var unused = output.whenComplete((done, failure) -> abandon());
        var unusedToo = child.onExit(this::exited);
    }

    /** A child that does not want all of it breaks the pipe, which is no failure. */
    private void feed() {
        Descriptor stdin = child.pipe(0);
        if (stdin == null || options.input == null) {
            return;
        }
        if (options.input.length == 0) {
            stdin.close();
        } else {
            stdin.writeAll(ByteBuffer.wrap(options.input), Operation.of(done -> stdin.close()));
        }
    }

    /** The child, for its pid and for signals. Its outputs are read here. */
    public Child child() {
        return child;
    }

    /**
     * How the child ended and what it wrote. There when the child has ended, and its outputs are at their end; if others have
     * those open, a time later ({@link OutputOptions.Builder#linger}).
     *
     * <p>Fails with an {@link OutputException} if the timeout is over, and with a {@link ClosedException} if the loop ends first.
     * Then the child is ended, as it is when this is cancelled, or completed by others: by {@link Child#end}.
     *
     * <p><b>Threading:</b> completed on the loop thread, where waiting for it is refused.
     */
    public CompletableFuture<Output> output() {
        return output;
    }

    private void exited(@Nullable ExitStatus status, @Nullable Throwable failure) {
        if (status == null) {
            fail(failure == null ? new IllegalStateException("the end of " + child + " is unknown") : failure);
            return;
        }
        boolean lingers;
        synchronized (lock) {
            exit = status;
            cancelTimer();
            lingers = !isSettled && !(stdout.isEnded() && stderr.isEnded());
        }
        if (lingers) {
            linger();
        }
        finish();
    }

    // r[impl process.output-linger]
    private void linger() {
        try {
            setTimer(loop.schedule(options.linger, this::cut));
        } catch (RuntimeException | Error refused) {
            fail(refused);
        }
    }

    private void cut() {
        stdout.cut();
        stderr.cut();
    }

    private void setTimer(TimerHandle set) {
        synchronized (lock) {
            timer = set;
            if (isSettled) {
                cancelTimer();
            }
        }
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    private void timeIsOver() {
        synchronized (lock) {
            if (isSettled || exit != null) {
                return;
            }
            isTimedOut = true;
        }
        endChild();
    }

    /** Settles it, if all is there. */
    // r[impl process.output]
    private void finish() {
        Throwable failure;
        synchronized (lock) {
            failure = stdout.failure() != null ? stdout.failure() : stderr.failure();
            if (failure == null && (exit == null || !stdout.isEnded() || !stderr.isEnded())) {
                return;
            }
        }
        if (failure != null) {
            fail(failure);
        } else if (isSettledNow()) {
            letGo();
            child.close();
            tell();
        }
    }

    private void tell() {
        try {
            Output all;
            @Nullable String late;
            synchronized (lock) {
                all = new Output(Objects.requireNonNull(exit), stdout, stderr);
                late = isTimedOut
                        ? child + " had not ended after " + options.timeout + ", and was to end: " + all
                        : null;
            }
            if (late == null) {
                output.complete(all);
            } else {
                output.completeExceptionally(new OutputException(late, all));
            }
        } catch (RuntimeException | Error full) {
            output.completeExceptionally(full);
        }
    }

    private void fail(Throwable cause) {
        if (isSettledNow()) {
            abandonChild();
            output.completeExceptionally(cause);
        }
    }

    private void abandon() {
        if (isSettledNow()) {
            abandonChild();
        }
    }

    /** Its outputs are read until its end, so that it can write while it ends. */
    private void abandonChild() {
        letGo();
        try {
            endChild();
        } finally {
            var unused = child.onExit((status, failure) -> child.close());
        }
    }

    private void endChild() {
        boolean isAsked = false;
        try {
            var unused = child.end(options.grace);
            isAsked = true;
        } finally {
            if (!isAsked) {
                child.watch.sendToAll(Signal.SIGKILL);
            }
        }
    }

    private boolean isSettledNow() {
        synchronized (lock) {
            boolean isFirst = !isSettled;
            isSettled = true;
            return isFirst;
        }
    }

    private void letGo() {
        synchronized (lock) {
            cancelTimer();
        }
        loop.unregister(service);
    }

    @Override
    public String toString() {
        return "OutputCollection[" + child + "]";
    }

    /** Sees the loop end first. */
    private final class Service implements LoopService {
        @Override
        public void onLoopEnd() {
            fail(new ClosedException(loop + " has ended before " + child + ", whose output it collected; it is ended"));
        }

        /** The loop may never come to its end: its thread may be what called exit. */
        @Override
        public void onExit() {
            onLoopEnd();
        }
    }
}
