package dev.carillon.benchmarks.loops;

import dev.carillon.benchmarks.worker.Workload;
import java.util.Map;
import org.jctools.queues.MpscLinkedQueue;
import org.jctools.queues.MpscUnboundedArrayQueue;

/** What can be done with any {@link TaskLoop}; one subclass for each maker. */
public abstract class TaskWorkload implements Workload {
    private static final int QUEUE_CHUNK = 2048;

    private final TaskLoop.Maker maker;

    private TaskWorkload(TaskLoop.Maker maker) {
        this.maker = maker;
    }

    @Override
    public Map<String, Opener> works() {
        return Map.of(
                "post-1", stage -> PostWork.open(maker, 1, stage),
                "post-4", stage -> PostWork.open(maker, 4, stage),
                "wake", stage -> WakeWork.open(maker, stage),
                "round-trip", stage -> RoundTripWork.open(maker, stage));
    }

    /** Ours. */
    public static final class Carillon extends TaskWorkload {
        /** For the worker. */
        public Carillon() {
            super(CarillonLoop::new);
        }
    }

    /** Netty on epoll. */
    public static final class Netty extends TaskWorkload {
        /** For the worker. */
        public Netty() {
            super(NettyLoop::epoll);
        }
    }

    /** The JDK's. */
    public static final class Pool extends TaskWorkload {
        /** For the worker. */
        public Pool() {
            super(PoolLoop::new);
        }
    }

    /** The one of kotlinx. */
    public static final class Kotlinx extends TaskWorkload {
        /** For the worker. */
        public Kotlinx() {
            super(KotlinxLoop::new);
        }
    }

    /** A queue of linked arrays. */
    public static final class ArrayQueue extends TaskWorkload {
        /** For the worker. */
        public ArrayQueue() {
            super(() -> new QueueLoop(new MpscUnboundedArrayQueue<>(QUEUE_CHUNK)));
        }
    }

    /** A queue of linked nodes. */
    public static final class LinkedQueue extends TaskWorkload {
        /** For the worker. */
        public LinkedQueue() {
            super(() -> new QueueLoop(new MpscLinkedQueue<>()));
        }
    }
}
