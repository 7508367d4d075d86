package dev.carillon.coroutines

import dev.carillon.ClosedException
import dev.carillon.shm.AsyncChannel
import dev.carillon.shm.CreditResult
import dev.carillon.shm.Frame
import dev.carillon.shm.LinkConfig
import dev.carillon.shm.SendResult.CHANNEL_RESET
import dev.carillon.shm.SendResult.NO_CREDIT
import dev.carillon.shm.SendResult.SENT
import dev.carillon.shm.ShmChannel
import dev.carillon.test.Seeded
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineStart.UNDISPATCHED
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertInstanceOf
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.ByteBuffer
import java.time.Duration
import java.util.SplittableRandom
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes

// r[verify kt.link] r[verify kt.shm]
class ChannelsTest : LoopCase() {
    private val ends by lazy {
        closeLater(
            TwoEnds(
                loop,
                LinkConfig
                    .builder()
                    .ring(64)
                    .channels(16)
                    .window(WINDOW)
                    .build(),
            ),
        )
    }
    private val ours: AsyncChannel by lazy { ends.async.openChannel() }
    private val theirs: ShmChannel by lazy {
        ours
        checkNotNull(ends.guest.acceptChannel(Duration.ofSeconds(30)))
    }

    private fun frame(
        id: Int,
        length: Int = 68,
    ) = Frame.of(1, id.toLong(), ByteBuffer.allocate(length))

    private fun next() = theirs.receive(Duration.ofSeconds(30))?.id()?.toInt()

    private fun opened() {
        assertEquals(ours.channel().id(), theirs.id())
    }

    @Test
    fun aFrameOfAChannelIsReceivedOnTheLoopThread() {
        opened()
        onLoop {
            val waiting = async(start = UNDISPATCHED) { ours.receive() }
            assertFalse(waiting.isCompleted)
            assertEquals(SENT, theirs.trySend(frame(7)))
            assertEquals(7, waiting.await()?.id())
            assertTrue(loop.inLoop())
        }
    }

    @Test
    fun aChannelOfThePeerIsAccepted() =
        onLoop {
            val accepting = async(start = UNDISPATCHED) { ends.async.acceptChannel() }
            assertNull(withTimeoutOrNull(1.milliseconds) { accepting.await() })
            val opened = ends.guest.openChannel()
            assertEquals(opened.id(), accepting.await()?.channel()?.id())
            ends.guest.close()
            assertNull(ends.async.acceptChannel())
        }

    // r[verify shm.wakeup.credit-wait]
    @Test
    fun aSendWaitsForCreditAndCreditCanBeAwaited() {
        opened()
        onLoop {
            repeat(10) { assertEquals(SENT, ours.send(frame(it))) }
            val sending = async(start = UNDISPATCHED) { ours.send(frame(10)) }
            assertFalse(sending.isCompleted)
            assertEquals(0, withContext(Dispatchers.IO) { next() })
            repeat(9) { assertEquals(it + 1, withContext(Dispatchers.IO) { next() }) }
            assertEquals(SENT, sending.await())
            val credit = async(start = UNDISPATCHED) { ours.awaitCredit(WINDOW) }
            assertFalse(credit.isCompleted)
            assertEquals(10, withContext(Dispatchers.IO) { next() })
            assertEquals(CreditResult.GRANTED, credit.await())
        }
    }

    @Test
    fun aSendThatHasCreditWaitsForRoomInTheRing() {
        opened()
        onLoop {
            while (ends.host.trySend(frame(0)) == SENT) assertFalse(ours.hasEnded())
            val sending = async(start = UNDISPATCHED) { ours.send(frame(1)) }
            assertFalse(sending.isCompleted)
            assertTrue(ends.guest.poll({ }, 100) > 0)
            assertEquals(SENT, sending.await())
        }
    }

    @Test
    fun whatIsNotCollectedHoldsUpThePeerOnThisChannelAlone() {
        opened()
        val other = ends.async.openChannel()
        val others = checkNotNull(ends.guest.acceptChannel(Duration.ofSeconds(30)))
        onLoop {
            var sent = 0
            while (theirs.trySend(frame(sent)) == SENT) sent++
            assertEquals(WINDOW / ShmChannel.cost(68), sent.toLong())
            val some = ours.frames().map { it.id().toInt() }
            assertEquals(listOf(0, 1), some.take(2).toList())
            assertEquals(NO_CREDIT, theirs.trySend(frame(sent)), "half a window is granted at a time")
            assertEquals(SENT, others.trySend(frame(99)))
            assertEquals(99, other.receive()?.id())
            assertEquals((2..6).toList(), some.take(5).toList())
            assertEquals(SENT, theirs.trySend(frame(sent)))
            theirs.close()
            assertEquals((7..sent).toList(), some.toList())
        }
    }

    @Test
    fun aResetEndsTheWaitsAndACloseOfTheLinkFailsThem() {
        opened()
        onLoop {
            while (ours.trySend(frame(0)) == SENT) assertFalse(ours.hasEnded())
            val receiving = async(start = UNDISPATCHED) { ours.receive() }
            val sending = async(start = UNDISPATCHED) { ours.send(frame(1)) }
            theirs.reset()
            assertNull(receiving.await())
            assertEquals(CHANNEL_RESET, sending.await())
            assertEquals(CreditResult.RESET, ours.awaitCredit(1))
            val accepting = async(start = UNDISPATCHED) { runCatching { ends.async.acceptChannel() }.exceptionOrNull() }
            withContext(Dispatchers.IO) { ends.host.close() }
            assertInstanceOf(ClosedException::class.java, accepting.await())
        }
    }

    private fun ways(): List<CoroutineDispatcher> =
        listOf(
            loop.dispatcher,
            loop.dispatcher.immediate,
            Dispatchers.Default,
            Dispatchers.IO,
            Dispatchers.Unconfined,
        )

    // r[verify shm.wait.sleep-word]
    @Test
    fun aSendThatIsCancelledHasSentAllOrNothingAndUsedNoCredit(
        @Seeded random: SplittableRandom,
    ) = within(2.minutes) {
        opened()
        var cancelled = 0
        var sent = 0
        var received = 0

        fun take(most: Int) {
            theirs.poll({ assertEquals(received++.toLong(), it.id()) }, most)
        }
        for (dispatcher in ways()) {
            val first = sent
            repeat((if (isStress) 250_000 else 1_000) / ways().size) {
                while (ours.trySend(frame(sent, random.nextInt(400))) == SENT) sent++
                val before = sent
                val looksFirst = random.nextBoolean()
                val job =
                    launch(dispatcher) {
                        if (looksFirst) ours.awaitCredit(500)
                        if (ours.send(frame(before, 500)) == SENT) sent = before + 1
                    }
                spin(random)
                take(random.nextInt(4))
                spin(random)
                job.cancelAndJoin()
                if (sent == before) cancelled++
            }
            take(100)
            assertEquals(sent, received, "with $dispatcher")
            assertTrue(sent > first, "nothing was sent with $dispatcher")
            assertEquals(WINDOW, ours.channel().credit(), "with $dispatcher")
        }
        assertTrue(cancelled > 0, "no races")
    }

    private fun spin(random: SplittableRandom) {
        val end = System.nanoTime() + random.nextInt(20_000)
        while (System.nanoTime() < end) Thread.onSpinWait()
    }

    private companion object {
        private const val WINDOW = 1000L
    }
}
