package dev.carillon.coroutines

import dev.carillon.shm.Frame
import dev.carillon.shm.LinkConfig
import dev.carillon.shm.SendResult
import dev.carillon.shm.ShmLink
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.yield
import org.junit.jupiter.api.Assertions.assertEquals
import java.nio.ByteBuffer
import java.nio.ByteOrder

/** What coroutines do again and again with the host's end of a link while they are being cancelled, and its sums. */
internal abstract class LinkRace(
    val ends: TwoEnds,
) {
    /** What the sending coroutine or the peer has sent, and the other one received; one at a time writes each. */
    @Volatile
    var sent = 0L
        protected set

    @Volatile
    var received = 0L
        protected set

    /**
     * The coroutine's part: it waits, and counts what it has done with nothing in between.
     *
     * @param plan what it does, of [PLANS] things
     * @param isPatient it is not cancelled, and ends by itself
     */
    abstract suspend fun act(
        plan: Int,
        isPatient: Boolean,
    )

    /** Until it is cancelled, so that the cancel comes at any moment of it. */
    protected inline fun again(
        isPatient: Boolean,
        act: () -> Unit,
    ) {
        do act() while (!isPatient)
    }

    /** The peer does something that can end a wait. */
    abstract fun help()

    /** The peer does what ends the wait in any case. */
    abstract fun helpInAnyCase()

    /** Nobody waits any more: all sums are right, and everything is free. */
    open fun settle() {
        assertEquals(sent, received, "sent, and received")
        assertAllIsFree(ends.host, ends.guest)
        assertAllIsFree(ends.guest, ends.host)
    }

    /** Fills it: so many frames go into slots and into the ring as there are slots and entries. */
    private fun assertAllIsFree(
        sender: ShmLink,
        receiver: ShmLink,
    ) {
        for ((length, places, refusal) in listOf(
            Triple(LONG, SLOTS, SendResult.NO_SLOT),
            Triple(SHORT, ENTRIES, SendResult.RING_FULL),
        )) {
            var taken = 0
            var result = SendResult.SENT
            while (result == SendResult.SENT) {
                result = sender.trySend(Frame.of(1, 0, ByteBuffer.allocate(length)))
                taken += if (result == SendResult.SENT) 1 else 0
            }
            assertEquals(refusal, result)
            assertEquals(places, taken, "free places for frames of $length bytes")
            assertEquals(places, receiver.poll({ }, Int.MAX_VALUE))
        }
        assertEquals(sender.stats().framesSent(), receiver.stats().framesReceived())
        assertEquals(sender.stats().bytesSent(), receiver.stats().bytesReceived())
    }

    protected fun frame(number: Long): Frame {
        val bytes = ByteBuffer.allocate(lengthOf(number)).order(ByteOrder.nativeOrder())
        return Frame.of(1, number, bytes.putLong(0, number))
    }

    /** So that now a slot is missing, and now an entry. */
    protected fun lengthOf(number: Long) = if (number % (ENTRIES + 1) > SLOTS) SHORT else LONG

    protected fun took(frame: Frame) {
        assertEquals(received, frame.id())
        assertEquals(lengthOf(received), frame.length())
        assertEquals(received, frame.getLong(0))
        received++
    }

    companion object {
        const val PLANS = 8
        const val BURST = 4
        private const val SHORT = 8
        private const val LONG = 200
        private const val SLOTS = 2
        private const val ENTRIES = 7

        /** Of a channel: two long frames, or more short ones than the ring has entries. */
        const val WINDOW = 500L

        /** One of its eight entries is for control frames. */
        val CONFIG: LinkConfig =
            LinkConfig
                .builder()
                .ring(ENTRIES + 1)
                .slots(256, SLOTS)
                .window(WINDOW)
                .build()
    }
}

/** Coroutines send, some of them until they are cancelled: the ring or the slots are full most of the time. */
internal open class SendRace(
    ends: TwoEnds,
) : LinkRace(ends) {
    override suspend fun act(
        plan: Int,
        isPatient: Boolean,
    ) {
        if (plan > PLANS / 2) again(isPatient) { sendOne(plan) } else sendOne(plan)
    }

    protected open suspend fun sendOne(plan: Int) {
        if (plan == 0) {
            ends.async.awaitSpace()
            count(ends.async.trySend(frame(sent)))
        } else {
            sentOne(ends.async.send(frame(sent)))
        }
    }

    /** After a wait for something less than that. */
    protected fun count(result: SendResult) {
        if (result == SendResult.SENT) sent++
    }

    /** After a wait that ends in no other way, as the peer stays. */
    protected fun sentOne(result: SendResult) {
        assertEquals(SendResult.SENT, result)
        sent++
    }

    override fun help() = take(1)

    override fun helpInAnyCase() = take(Int.MAX_VALUE)

    protected open fun take(limit: Int) {
        ends.guest.poll(::took, limit)
    }

    override fun settle() {
        helpInAnyCase()
        super.settle()
    }
}

/** As [SendRace], with claims: committed, aborted, left as they are, left by an exception, and cancelled in the midst of it. */
internal class ClaimRace(
    ends: TwoEnds,
) : SendRace(ends) {
    private class Planned : Exception("planned")

    override suspend fun sendOne(plan: Int) {
        val number = sent
        try {
            ends.async.claim(lengthOf(number)) {
                it.bytes().putLong(0, number)
                when (plan) {
                    0 -> throw Planned()
                    1 -> return@claim
                    2 -> return@claim it.abort()
                    PLANS - 1 -> yield()
                }
                sentOne(it.commit(1, 0, number))
            }
        } catch (planned: Planned) {
            check(plan == 0) { planned }
        }
    }
}

/** Coroutines receive, and the ring is empty most of the time. */
internal open class ReceiveRace(
    ends: TwoEnds,
) : LinkRace(ends) {
    override suspend fun act(
        plan: Int,
        isPatient: Boolean,
    ) {
        when {
            plan == 0 -> if (ends.async.awaitData()) ends.async.tryReceive()?.let(::took)
            plan < 3 && isPatient -> took(ends.async.frames().first())
            plan < 3 -> ends.async.frames().collect(::took)
            else -> again(isPatient) { ends.async.receive()?.let(::took) }
        }
    }

    override fun help() {
        if (sent - received < 2) repeat(BURST) { sendOne() }
    }

    private fun sendOne() {
        if (trySend(sent) == SendResult.SENT) sent++
    }

    protected open fun trySend(number: Long): SendResult = ends.guest.trySend(frame(number))

    override fun helpInAnyCase() {
        if (sent == received) sendOne()
    }

    override fun settle() {
        takeAll()
        super.settle()
    }

    protected open fun takeAll() {
        ends.host.poll(::took, Int.MAX_VALUE)
    }
}
