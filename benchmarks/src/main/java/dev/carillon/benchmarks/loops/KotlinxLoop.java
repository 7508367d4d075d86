package dev.carillon.benchmarks.loops;

import kotlin.coroutines.EmptyCoroutineContext;
import kotlinx.coroutines.ExecutorCoroutineDispatcher;
import kotlinx.coroutines.ThreadPoolDispatcherKt;

/** The dispatcher of kotlinx with a thread of its own, asked as a coroutine asks it that goes on. */
public final class KotlinxLoop implements TaskLoop {
    private final ExecutorCoroutineDispatcher dispatcher = ThreadPoolDispatcherKt.newSingleThreadContext("kotlinx");

    @Override
    public void execute(Runnable task) {
        dispatcher.dispatch(EmptyCoroutineContext.INSTANCE, task);
    }

    @Override
    public void close() {
        dispatcher.close();
    }
}
