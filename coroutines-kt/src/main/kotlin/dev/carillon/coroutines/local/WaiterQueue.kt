package dev.carillon.coroutines.local

import dev.carillon.ClosedException
import kotlin.coroutines.Continuation

/**
 * Waiters in the order in which they came.
 *
 * **Threading:** the loop's.
 *
 * @param onRefused gives back what a waiter was called with, if it turns out on its turn that its coroutine is cancelled;
 *   null where being called is final, since the waiter brought something that was taken
 */
internal class WaiterQueue<T : Any>(
    private val onRefused: ((T) -> Unit)?,
) : Watched {
    private var first: LoopWaiter<T>? = null
    private var last: LoopWaiter<T>? = null

    /** Places to be used again, linked by their next. */
    private var free: LoopWaiter<T>? = null
    private var freePlaces = 0

    /** Tells the waiters of a cancellation, and of the loop's end; null if there are none. */
    private var watcher: WaiterWatch? = null

    /** Whether some have not been waiting for long. */
    private var isWatched = false

    /** Whether some have. */
    private var isResting = false

    val isFinal: Boolean get() = onRefused == null

    /** Begins to wait. */
    fun add(
        home: HomeLoop,
        continuation: Continuation<*>,
        item: T?,
    ) {
        val waiter = takePlace()
        val watch = home.waiterWatch
        waiter.begin(watch, continuation, item)
        append(waiter)
        val watcher = watcher ?: watch.also { this.watcher = it }
        waiter.since = watcher.visits
        if (!isWatched) {
            isWatched = true
            watcher.watch(this)
        }
    }

    private fun takePlace(): LoopWaiter<T> {
        val waiter = free ?: return LoopWaiter(this)
        free = waiter.next
        freePlaces--
        return waiter
    }

    fun keep(waiter: LoopWaiter<T>) {
        if (freePlaces < MAX_FREE) {
            freePlaces++
            waiter.next = free
            free = waiter
        }
    }

    private fun append(waiter: LoopWaiter<T>) {
        val before = last
        waiter.isWaiting = true
        waiter.next = null
        waiter.previous = before
        last = waiter
        if (before == null) first = waiter else before.next = waiter
    }

    fun poll(): LoopWaiter<T>? = first?.also(::remove)

    fun remove(waiter: LoopWaiter<T>) {
        val before = waiter.previous
        val after = waiter.next
        if (before == null) first = after else before.next = after
        if (after == null) last = before else after.previous = before
        waiter.previous = null
        waiter.next = null
        waiter.isWaiting = false
        if (isResting && first == null) {
            leave()
        }
    }

    private fun leave() {
        isResting = false
        watcher?.leave(this)
        if (!isWatched) watcher = null
    }

    override fun end(cause: ClosedException) {
        isWatched = false
        isResting = false
        watcher = null
        while (true) poll()?.fail(cause) ?: break
    }

    /** What a coroutine gets that is called with [item], or was called for the one that it brought. */
    fun outcome(item: T?): Any =
        if (onRefused == null) Unit else checkNotNull(item) { "a waiter was called with nothing" }

    fun refused(item: T) {
        onRefused?.invoke(item)
    }

    override fun hasYoungAfter(visits: Int): Boolean {
        var hasYoung = false
        var waiter = last
        while (waiter != null && !waiter.isRegistered) {
            // One whose job is cancelled already leaves at once.
            val before = waiter.previous
            if (waiter.since - visits < 0) waiter.register() else hasYoung = true
            waiter = before
        }
        if (!hasYoung) {
            isWatched = false
            settle()
        }
        return hasYoung
    }

    private fun settle() {
        if (first == null) {
            watcher = null
        } else if (!isResting) {
            isResting = true
            watcher?.rest(this)
        }
    }

    private companion object {
        /** More waiters at once are rare; what a burst has left behind is not kept for ever. */
        private const val MAX_FREE = 64
    }
}
