package dev.carillon.benchmarks.garbage;

import dev.carillon.io.Operation;
import dev.carillon.io.StreamSocket;
import dev.carillon.loop.EventLoop;
import dev.carillon.loop.TimerHandle;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** What a loop does all day, for JMH, on a loop that belongs to JMH's thread. */
@State(Scope.Thread)
public class LoopCalls {
    /** JMH leaves some kilobytes of its own in each measurement: the more operations, the less of them falls on one. */
    private static final int AT_ONCE = 64;

    private static final long FAR_AWAY = TimeUnit.MINUTES.toNanos(10);

    private final EventLoop loop = EventLoop.open();
    private final Runnable task = this::count;
    private final Runnable setAnew = this::setAnew;
    private final List<StreamSocket> ends = StreamSocket.pair(loop);
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(Long.BYTES);
    private final ByteBuffer answer = ByteBuffer.allocateDirect(Long.BYTES);
    private final Operation write = Operation.of(this::count);
    private final Operation read = Operation.of(this::count);
    private final TimerHandle timer = loop.schedule(Duration.ofMinutes(1), task);
    private long done;

    /** Binds the loop to JMH's thread. */
    @Setup
    public void run() {
        loop.runUntilEmpty();
    }

    /** Gives back what the calls needed. */
    @TearDown
    public void close() {
        timer.cancel();
        ends.forEach(StreamSocket::close);
        loop.close();
    }

    private void count() {
        done++;
    }

    private void count(Operation operation) {
        if (operation.failure() != null) {
            throw new IllegalStateException("a byte did not get through", operation.failure());
        }
        count();
    }

    private void setAnew() {
        timer.rescheduleAt(loop.nanoTime() + FAR_AWAY);
        done++;
    }

    /** A task from the loop's own thread. */
    @Benchmark
    @OperationsPerInvocation(AT_ONCE)
    public long localPost() {
        for (int i = 0; i < AT_ONCE; i++) {
            loop.execute(task);
        }
        loop.runUntilEmpty();
        return done;
    }

    /** A timer that is taken back and set anew, as a timeout after each message. */
    @Benchmark
    @OperationsPerInvocation(AT_ONCE)
    public long timerSetAnew() {
        for (int i = 0; i < AT_ONCE; i++) {
            loop.execute(setAnew);
        }
        loop.runUntilEmpty();
        return done;
    }

    /** Eight bytes through a pair of sockets; the read waits for them. */
    @Benchmark
    public long readyIo() {
        ends.get(1).readSome(answer.clear(), read);
        ends.get(0).writeAll(bytes.clear(), write);
        long before = done;
        while (done < before + 2) {
            loop.runSome();
        }
        return done;
    }
}
