package dev.carillon.coroutines;

import kotlin.coroutines.Continuation;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlin.jvm.functions.Function2;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.CoroutineScope;

/** {@code runBlocking} by the name that it has in every version: what Kotlin calls now has another one in older ones. */
final class Blocking {
    private Blocking() {}

    static void run(Function2<CoroutineScope, Continuation<? super kotlin.Unit>, Object> block)
            throws InterruptedException {
        BuildersKt.runBlocking(EmptyCoroutineContext.INSTANCE, block);
    }
}
