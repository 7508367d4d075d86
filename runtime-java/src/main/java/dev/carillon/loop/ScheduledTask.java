package dev.carillon.loop;

import dev.carillon.sys.StackRoom;

/** What a user has scheduled. */
final class ScheduledTask extends LoopTimer implements TimerHandle {
    private final PollingLoop loop;
    private final Runnable task;

    ScheduledTask(PollingLoop loop, Runnable task) {
        this.loop = loop;
        this.task = task;
    }

    @Override
    void onDue() {
        task.run();
    }

    @Override
    void onLoopEnd() {
        if (task instanceof LoopTask told) {
            told.onLoopEnd();
        }
    }

    @Override
    public boolean cancel() {
        StackRoom.ensure();
        return cancelWithRoom();
    }

    private boolean cancelWithRoom() {
        boolean cancelled = tryCancel();
        if (cancelled) {
            loop.timers().cancelled();
        }
        return cancelled;
    }

    @Override
    public boolean isPending() {
        return isArmed();
    }

    @Override
    public void rescheduleAt(long deadlineNanos) {
        StackRoom.ensure();
        cancelWithRoom();
        loop.timers().reset(this, deadlineNanos);
    }
}
