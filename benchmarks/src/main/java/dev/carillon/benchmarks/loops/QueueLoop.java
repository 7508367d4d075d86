package dev.carillon.benchmarks.loops;

import org.jctools.queues.MessagePassingQueue;

/** A queue of JCTools alone, with a thread that polls it without end: no loop at all, but the cost of its queue. */
public final class QueueLoop implements TaskLoop {
    private final MessagePassingQueue<Runnable> queue;
    private final Thread thread = new Thread(this::poll, "queue-loop");
    private volatile boolean closed;

    /** Starts polling. */
    public QueueLoop(MessagePassingQueue<Runnable> queue) {
        this.queue = queue;
        thread.setDaemon(true);
        thread.start();
    }

    private void poll() {
        while (!closed) {
            Runnable task = queue.relaxedPoll();
            if (task != null) {
                task.run();
            } else {
                Thread.onSpinWait();
            }
        }
    }

    @Override
    public void execute(Runnable task) {
        queue.offer(task);
    }

    @Override
    public void close() {
        closed = true;
    }
}
