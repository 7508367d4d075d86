package dev.carillon.coroutines

import dev.carillon.SignalSet
import dev.carillon.signal.SignalService
import kotlinx.coroutines.currentCoroutineContext
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.ContinuationInterceptor
import kotlin.coroutines.CoroutineContext

// r[impl kt.context]

/**
 * Carries a service in a coroutine context: `withContext(SignalElement(service)) { awaitSignal(SIGHUP) }`.
 *
 * **Ownership:** the element does not close the service.
 */
public class SignalElement(
    /** The service that is carried. */
    @get:JvmName("service") public val service: SignalService,
) : AbstractCoroutineContextElement(SignalElement) {
    /** Finds the element in a context. */
    public companion object Key : CoroutineContext.Key<SignalElement>

    override fun toString(): String = "SignalElement[$service]"
}

/** The service of the calling coroutine's context, or the one of the whole process. Never suspends. */
public suspend fun currentSignals(): SignalService =
    currentCoroutineContext()[SignalElement]?.service ?: SignalService.shared()

/** Where these are waited for: as [currentSignals], but a loop's coroutines find what an attached service of it has. */
internal suspend fun signalsFor(wanted: SignalSet): SignalService {
    val context = currentCoroutineContext()
    val loop = (context[ContinuationInterceptor] as? LoopDispatcher)?.loop
    return context[SignalElement]?.service
        ?: loop?.takeIf { SignalService.attachedOn(it).containsAll(wanted) }?.let(SignalService::on)
        ?: SignalService.shared()
}
