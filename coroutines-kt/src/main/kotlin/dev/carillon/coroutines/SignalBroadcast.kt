package dev.carillon.coroutines

import dev.carillon.SignalInfo
import dev.carillon.SignalSet
import dev.carillon.loop.EventLoop
import dev.carillon.signal.SignalService
import dev.carillon.signal.SignalWaiter
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.RejectedExecutionException

// r[impl kt.broadcast]

/**
 * Brings each signal of a service to everybody who listens: one wait, for what all of them want together.
 *
 * While one who listens has [MOST] that it has not taken, nothing more is fetched, and what comes is kept by the service.
 *
 * **Threading:** the loop's.
 */
internal class SignalBroadcast private constructor(
    private val service: SignalService,
) {
    private val listeners = ArrayList<SignalListener>()
    private var waiter: Waiter? = null

    fun add(listener: SignalListener) {
        listeners.add(listener)
        try {
            fetch()
        } catch (refused: RuntimeException) {
            // Only the new one can be the cause: the others have waited before.
            remove(listener)
            listener.fail(refused)
        }
    }

    fun remove(listener: SignalListener) {
        if (listeners.remove(listener)) {
            fetchOrFail()
            if (listeners.isEmpty()) {
                ALL.remove(service, this)
            }
        }
    }

    /** After something has changed that may let it go on. */
    fun fetchOrFail() {
        try {
            fetch()
        } catch (refused: RuntimeException) {
            failAll(refused)
        }
    }

    private fun fetch() {
        val wanted = wanted()
        val present = waiter
        if (present != null) {
            if (present.wanted == wanted || !present.cancel()) {
                return
            }
            waiter = null
        }
        if (!wanted.isEmpty()) {
            val next = Waiter(wanted)
            waiter = next
            try {
                service.start(next)
            } catch (refused: RuntimeException) {
                waiter = null
                throw refused
            }
        }
    }

    private fun wanted(): SignalSet =
        if (listeners.all { it.hasRoom }) {
            listeners.fold(SignalSet.empty()) { all, one -> all.plus(one.signals) }
        } else {
            SignalSet.empty()
        }

    private fun failAll(cause: RuntimeException) = listeners.toList().forEach { it.fail(cause) }

    private inner class Waiter(
        val wanted: SignalSet,
    ) : SignalWaiter(wanted) {
        override fun onSignal(info: SignalInfo) {
            waiter = null
            val takers = listeners.filter { info.signal() in it.signals }
            if (takers.isEmpty()) {
                giveBack()
            }
            // All have it before one of them goes on, which may be here and now.
            val record = BroadcastRecord(info, this, takers.size)
            takers.forEach { it.bring(record) }
            takers.forEach { it.wake() }
            fetchOrFail()
        }

        override fun onFailure(cause: RuntimeException) {
            waiter = null
            failAll(cause)
        }
    }

    companion object {
        /** Those that somebody listens to. */
        private val ALL = ConcurrentHashMap<SignalService, SignalBroadcast>()

        /** How far the slowest may be behind. */
        const val MOST = 1_024

        fun of(service: SignalService): SignalBroadcast = ALL.computeIfAbsent(service, ::SignalBroadcast)
    }
}

/** One signal for several who listen. If all of them leave and none has taken it, it goes back to the service. */
internal class BroadcastRecord(
    val info: SignalInfo,
    private val origin: SignalWaiter,
    private var holders: Int,
) {
    /** Set by whoever takes it, on any thread, before it stops being a holder. */
    @Volatile
    var isTaken: Boolean = false

    /** One of the holders leaves. */
    fun drop() {
        holders--
        if (holders == 0 && !isTaken) {
            origin.giveBack()
        }
    }
}

/**
 * One collector of a broadcast.
 *
 * **Threading:** [next] and [close]: any thread; the rest: the loop's.
 */
internal class SignalListener(
    private val service: SignalService,
    val signals: SignalSet,
) {
    private val loop: EventLoop = service.loop()
    private val records = ArrayDeque<BroadcastRecord>()
    private var waiting: Next? = null
    private var failure: RuntimeException? = null
    private var broadcast: SignalBroadcast? = null
    private var isClosed = false

    val hasRoom: Boolean get() = records.size < SignalBroadcast.MOST

    /** The next signal; it counts as taken when this returns. Cancellable; then it was not taken. */
    suspend fun next(): SignalInfo {
        val wait = Next()
        val record = wait.await({ onLoop { take(wait) } }, { onLoopUnlessEnded { takeBack(it) } })
        record.isTaken = true
        return record.info
    }

    private fun take(wait: Next) {
        waiting = wait
        val before = broadcast
        if (before == null) {
            broadcast = SignalBroadcast.of(service).also { it.add(this) }
        } else {
            val hadRoom = hasRoom
            wake()
            if (!hadRoom) before.fetchOrFail()
        }
    }

    fun bring(record: BroadcastRecord) {
        records.addLast(record)
    }

    fun wake() {
        val to = waiting ?: return
        val record = records.removeFirstOrNull()
        val cause = failure
        if (record != null) {
            waiting = null
            if (!to.offer(record)) {
                records.addFirst(record)
            }
        } else if (cause != null) {
            waiting = null
            to.fail(cause)
        }
    }

    fun fail(cause: RuntimeException) {
        failure = cause
        wake()
    }

    /** It was on its way to a coroutine that is cancelled, and leaves next. */
    private fun takeBack(record: BroadcastRecord) = if (isClosed) record.drop() else records.addFirst(record)

    fun close() =
        onLoopUnlessEnded {
            isClosed = true
            broadcast?.remove(this)
            records.forEach { it.drop() }
            records.clear()
        }

    private fun onLoop(action: () -> Unit) = if (loop.inLoop()) action() else loop.execute(action)

    private fun onLoopUnlessEnded(action: () -> Unit) {
        try {
            onLoop(action)
        } catch (ends: RejectedExecutionException) {
            // The service ends with its loop, and nobody is left to whom something could be given back.
            failure = failure ?: ends
        }
    }

    private inner class Next : Handover<BroadcastRecord>(loop) {
        override fun forget() =
            onLoopUnlessEnded {
                if (waiting === this) waiting = null
            }
    }
}
