package dev.carillon.coroutines

import dev.carillon.ClosedException
import dev.carillon.coroutines.local.WaiterQueue
import dev.carillon.coroutines.local.ensureHere
import dev.carillon.coroutines.local.homeOn
import dev.carillon.coroutines.local.isHereOrOver
import dev.carillon.coroutines.local.tryHere
import dev.carillon.loop.EventLoop
import kotlin.coroutines.intrinsics.COROUTINE_SUSPENDED
import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn

// r[impl kt.local]

/**
 * A channel between coroutines of one loop, without atomic operations: a rendezvous, or with room for [capacity] elements.
 *
 * No element is lost or doubled: a [send] that is cancelled did not send, and an element that was on its way to a [receive]
 * that is cancelled goes to the next one.
 *
 * **Threading:** coroutines on the dispatcher of [loop]; everything else is an IllegalStateException.
 *
 * When the loop ends, coroutines that wait here are cancelled.
 *
 * **Order:** first in, first out, for elements and for those who wait. One thing breaks it: an element that was on its way to a
 * receiver which turns out to be cancelled goes to the first receiver that waits now, or is the next to be received. Elements that
 * were sent after it, and were on their way to other receivers already, are received before it.
 */
public class LoopChannel<E : Any>(
    /** The loop that it belongs to. */
    @get:JvmName("loop") public val loop: EventLoop,
    private val capacity: Int,
) {
    private val elements = ArrayDeque<E>()
    private val senders = WaiterQueue<E>(onRefused = null)
    private val receivers = WaiterQueue<E>(onRefused = ::takeBack)
    private var end: ClosedException? = null

    /** Whether [close] was called. */
    public var isClosed: Boolean = false
        private set

    /** A rendezvous: it keeps nothing, a sender waits for a receiver. */
    public constructor(loop: EventLoop) : this(loop, 0)

    init {
        require(capacity >= 0) { "capacity=$capacity: not negative" }
    }

    /**
     * Sends, and waits until there is a receiver or room.
     *
     * Cancellable while it waits: then the element was not sent.
     *
     * @throws ClosedException if the channel is closed, or is closed while it waits
     */
    public suspend fun send(element: E) {
        if (tryHere { trySend(element) }) {
            return
        }
        return suspendCoroutineUninterceptedOrReturn { continuation ->
            val home = continuation.context.homeOn(loop, "LoopChannel.send")
            senders.add(home, continuation, element)
            COROUTINE_SUSPENDED
        }
    }

    /** Sends if that needs no wait. */
    public fun trySend(element: E): Boolean {
        loop.ensureHere("LoopChannel.send")
        if (isClosed) {
            throw closed()
        }
        val receiver = receivers.poll()
        when {
            receiver != null -> receiver.callWith(element)
            elements.size < capacity -> elements.addLast(element)
            else -> return false
        }
        return true
    }

    /**
     * Receives the next element.
     *
     * Cancellable while it waits; no element is lost.
     *
     * @throws ClosedException if the channel is closed and empty
     */
    public suspend fun receive(): E =
        tryHere { tryReceive() } ?: suspendCoroutineUninterceptedOrReturn { continuation ->
            val home = continuation.context.homeOn(loop, "LoopChannel.receive")
            if (isClosed) {
                throw closed()
            }
            receivers.add(home, continuation, item = null)
            COROUTINE_SUSPENDED
        }

    /** Receives the next element as [receive], or null if that is closed and empty. Cancellable; nothing is lost. */
    public suspend fun receiveOrNull(): E? =
        try {
            receive()
        } catch (closed: ClosedException) {
            if (closed !== end) throw closed
            null
        }

    /**
     * Receives one after the other, `for (element in channel)`, until the channel is closed and empty.
     *
     * Cancellable while it waits; an element that the loop was not given is not lost.
     */
    public operator fun iterator(): LoopChannelIterator<E> = LoopChannelIterator(this)

    /** Receives if that needs no wait; else null. */
    public fun tryReceive(): E? {
        loop.ensureHere("LoopChannel.receive")
        val element = elements.removeFirstOrNull()
        if (element != null && elements.size >= capacity) {
            return element
        }
        val sender = senders.poll() ?: return element
        val brought = checkNotNull(sender.item) { "a sender brought nothing" }
        sender.call()
        if (element == null) {
            return brought
        }
        elements.addLast(brought)
        return element
    }

    /**
     * Nothing more is sent: those who wait get a ClosedException, and what is there can still be received. When the loop
     * has ended, it does nothing.
     */
    public fun close() {
        if (!loop.isHereOrOver("LoopChannel.close")) {
            return
        }
        isClosed = true
        while (true) senders.poll()?.fail(closed()) ?: break
        while (true) receivers.poll()?.fail(closed()) ?: break
    }

    private fun takeBack(element: E) {
        val receiver = receivers.poll()
        if (receiver != null) {
            receiver.callWith(element)
        } else {
            elements.addFirst(element)
        }
    }

    private fun closed(): ClosedException =
        end ?: ClosedException("this LoopChannel of $loop is closed").also { end = it }
}

/** What `for (element in channel)` runs on. For one coroutine. */
public class LoopChannelIterator<out E : Any> internal constructor(
    private val channel: LoopChannel<E>,
) {
    private var received: E? = null

    /** Waits for the next element; false if the channel is closed and empty. Cancellable; no element is lost. */
    public suspend operator fun hasNext(): Boolean {
        if (received == null) {
            received = channel.receiveOrNull()
        }
        return received != null
    }

    /**
     * The element that [hasNext] waited for.
     *
     * @throws NoSuchElementException if that was not called, or was false
     */
    public operator fun next(): E {
        val element = received ?: throw NoSuchElementException("next() without a hasNext() that was true")
        received = null
        return element
    }
}
