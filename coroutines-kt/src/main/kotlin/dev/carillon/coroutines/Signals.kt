@file:JvmName("SignalWaits")

package dev.carillon.coroutines

import dev.carillon.ClosedException
import dev.carillon.Signal
import dev.carillon.SignalInfo
import dev.carillon.SignalSet
import dev.carillon.loop.EventLoop
import dev.carillon.signal.SignalService
import dev.carillon.signal.SignalWaiter
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.FlowCollector
import kotlinx.coroutines.future.await
import kotlinx.coroutines.isActive
import kotlin.time.Duration
import kotlin.time.toJavaDuration

// r[impl kt.await-signal]

/**
 * Waits for the next signal of this kind, and tells who sent it.
 *
 * The service is that of the [SignalElement] in the context. Without one it is that of the dispatcher's loop, if the loop has
 * the signal already, else the one of the whole process, which takes the signal over with the first wait; that may take effect
 * a little after the coroutine has suspended, see [prepareSignals]. A signal that came before is there at once. Those who wait
 * for the same signal get it in the order in which they began.
 *
 * Cancellable; a signal that a cancelled coroutine did not take goes to the next one, or is kept.
 *
 * **Threading:** a coroutine on any dispatcher, where it goes on afterwards; on the dispatcher of the service's loop without
 * another turn.
 *
 * @throws IllegalStateException if the service of the context does not have that signal
 * @throws ClosedException if the service is closed, or its loop ends; a coroutine of a loop that ends is cancelled instead, with
 *     that as the cause
 */
public suspend fun awaitSignal(signal: Signal): SignalInfo = signalsFor(SignalSet.of(signal)).awaitSignal(signal)

/**
 * Waits for the next signal of these kinds, by arrival, as [awaitSignal] does; the others stay for others.
 *
 * Cancellable; no signal is lost.
 */
public suspend fun awaitAnySignal(vararg signals: Signal): SignalInfo =
    signalsFor(SignalSet.of(*signals)).awaitAnySignal(*signals)

/**
 * Waits for a signal as [awaitSignal] does, or returns null if it does not come in time.
 *
 * The loop decides: a signal that came in time is never lost to the timeout, as it could be to `withTimeoutOrNull`.
 * Cancellable; no signal is lost to that either.
 */
public suspend fun awaitSignalOrNull(
    signal: Signal,
    timeout: Duration,
): SignalInfo? = signalsFor(SignalSet.of(signal)).awaitSignalOrNull(signal, timeout)

/**
 * Signals of these kinds that come while it is collected, and what was kept before.
 *
 * All collectors and waiters of one signal share it: each record goes to the one that began to wait first. Where
 * each is to see each signal, use [broadcastSignals].
 *
 * Cold; between two collected items they are kept, as many as a service keeps, also where a
 * [lifecycle][dev.carillon.lifecycle.Lifecycle] gets them first. The service is chosen as for [awaitSignal], when the collection begins.
 * Cancellable while it waits; what the collector was not given is kept. Operators that hold items back (`buffer`, `flowOn`)
 * lose those when they are cancelled.
 */
public fun signals(vararg signals: Signal): Flow<SignalInfo> {
    val wanted = SignalSet.of(*signals)
    return SignalFlow(wanted) { signalsFor(wanted) }
}

/**
 * Takes signals over before the first wait for them: when it returns, they are kept for the next wait, and do nothing else to
 * the process. A first wait does the same, but may have suspended before that is done. The service is chosen as for
 * [awaitSignal].
 *
 * Cancellable; on any dispatcher.
 */
public suspend fun prepareSignals(vararg signals: Signal) {
    val wanted = SignalSet.of(*signals)
    signalsFor(wanted).prepare(wanted).await()
}

/**
 * Signals of these kinds for everybody who collects them: each collector sees each one that comes while it collects, by
 * arrival.
 *
 * Each has a queue of its own, see [dev.carillon.signal.SignalSubscription]; a slow one holds up no other, and keeps as much as a
 * service does. The first one also gets what was kept before. Who waits otherwise, [awaitSignal] or [signals], gets each, too.
 *
 * Cold, as [signals]. Cancellable while it waits; a signal that no collector was given goes back to the service.
 */
public fun broadcastSignals(vararg signals: Signal): Flow<SignalInfo> {
    val wanted = SignalSet.of(*signals)
    return BroadcastFlow(wanted) { signalsFor(wanted) }
}

/** Waits on this service, see [dev.carillon.coroutines.awaitSignal]. Cancellable; no signal is lost. */
public suspend fun SignalService.awaitSignal(signal: Signal): SignalInfo = awaitFirst(SignalSet.of(signal))

/** Waits on this service, see [dev.carillon.coroutines.awaitAnySignal]. Cancellable; no signal is lost. */
public suspend fun SignalService.awaitAnySignal(vararg signals: Signal): SignalInfo = awaitFirst(SignalSet.of(*signals))

/** Waits on this service, see [dev.carillon.coroutines.awaitSignalOrNull]. Cancellable; no signal is lost. */
public suspend fun SignalService.awaitSignalOrNull(
    signal: Signal,
    timeout: Duration,
): SignalInfo? = wait(SignalSet.of(signal)) { start(it, timeout.toJavaDuration()) }

/** Signals of this service, see [dev.carillon.coroutines.signals]. Cancellable as that is. */
public fun SignalService.signals(vararg signals: Signal): Flow<SignalInfo> = SignalFlow(SignalSet.of(*signals)) { this }

/** Waits on the service that this loop makes for itself: [SignalService.on]. Cancellable; no signal is lost. */
public suspend fun EventLoop.awaitSignal(signal: Signal): SignalInfo = SignalService.on(this).awaitSignal(signal)

/** Waits on the service that this loop makes for itself: [SignalService.on]. Cancellable; no signal is lost. */
public suspend fun EventLoop.awaitAnySignal(vararg signals: Signal): SignalInfo =
    SignalService.on(this).awaitAnySignal(*signals)

/** Waits on the service that this loop makes for itself: [SignalService.on]. Cancellable; no signal is lost. */
public suspend fun EventLoop.awaitSignalOrNull(
    signal: Signal,
    timeout: Duration,
): SignalInfo? = SignalService.on(this).awaitSignalOrNull(signal, timeout)

/** Signals of the service that this loop makes for itself: [SignalService.on]. Cancellable, loses none. */
public fun EventLoop.signals(vararg signals: Signal): Flow<SignalInfo> =
    SignalFlow(SignalSet.of(*signals)) { SignalService.on(this) }

/** As [dev.carillon.coroutines.broadcastSignals], of this service. Cancellable as that is. */
public fun SignalService.broadcastSignals(vararg signals: Signal): Flow<SignalInfo> =
    BroadcastFlow(SignalSet.of(*signals)) { this }

/** As [dev.carillon.coroutines.broadcastSignals], of the service that this loop makes for itself. Cancellable as that is. */
public fun EventLoop.broadcastSignals(vararg signals: Signal): Flow<SignalInfo> =
    BroadcastFlow(SignalSet.of(*signals)) { SignalService.on(this) }

/** Not `flow {}`: its emit looks for a cancellation before it hands over, and a signal would be lost. */
private class SignalFlow(
    private val wanted: SignalSet,
    private val service: suspend () -> SignalService,
) : Flow<SignalInfo> {
    override suspend fun collect(collector: FlowCollector<SignalInfo>) {
        val service = service()
        val claim = service.claim(wanted)
        listening(claim::fulfil, claim::close) { while (true) collector.emit(service.awaitFirst(wanted)) }
    }
}

// r[impl kt.broadcast]
private class BroadcastFlow(
    private val wanted: SignalSet,
    private val service: suspend () -> SignalService,
) : Flow<SignalInfo> {
    override suspend fun collect(collector: FlowCollector<SignalInfo>) {
        val service = service()
        val subscription = service.subscribe(wanted)
        listening(subscription::fulfil, subscription::close) {
            while (true) collector.emit(taken(wanted) { subscription.start(it) })
        }
    }
}

/** Waits again and again; says at the end whether it ended with what it wanted, or has been given up. */
private suspend inline fun listening(
    fulfil: () -> Unit,
    giveUp: () -> Unit,
    action: () -> Unit,
) {
    try {
        action()
    } catch (end: CancellationException) {
        // Thrown by first(), take() and the like, unless the collecting coroutine is over: they have what they want.
        if (currentCoroutineContext().isActive) fulfil()
        throw end
    } finally {
        giveUp()
    }
}

private suspend fun SignalService.awaitFirst(signals: SignalSet): SignalInfo = taken(signals) { start(it) }

private suspend inline fun taken(
    signals: SignalSet,
    crossinline start: (SignalWaiter) -> Unit,
): SignalInfo = checkNotNull(wait(signals, start)) { "a wait without a time limit ran out of time" }

private suspend inline fun wait(
    signals: SignalSet,
    crossinline start: (SignalWaiter) -> Unit,
): SignalInfo? {
    val wait = SignalHandover(signals)
    return wait.await { start(wait.waiter) }
}

/** A coroutine that waits for a signal; it is handed null when its time is over. */
private class SignalHandover(
    signals: SignalSet,
) : Handover<SignalInfo?>() {
    val waiter: SignalWaiter =
        object : SignalWaiter(signals) {
            override fun onSignal(info: SignalInfo) {
                if (!offer(info)) {
                    giveBack()
                }
            }

            override fun onTimeout() {
                offer(null)
            }

            override fun onFailure(cause: RuntimeException) {
                fail(cause)
            }
        }

    override fun giveBack(value: SignalInfo?) {
        if (value != null) waiter.giveBack()
    }

    override fun forget() {
        waiter.cancel()
    }
}
