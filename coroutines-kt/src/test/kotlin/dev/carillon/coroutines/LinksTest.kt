package dev.carillon.coroutines

import dev.carillon.ClosedException
import dev.carillon.coroutines.TwoEnds.Companion.frame
import dev.carillon.shm.Frame
import dev.carillon.shm.PeerState
import dev.carillon.shm.SendResult.PEER_GONE
import dev.carillon.shm.SendResult.RING_FULL
import dev.carillon.shm.SendResult.SENT
import kotlinx.coroutines.CoroutineStart.UNDISPATCHED
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
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
import kotlin.time.Duration.Companion.milliseconds

// r[verify kt.link] r[verify kt.shm]
class LinksTest : LoopCase() {
    private val ends by lazy { closeLater(TwoEnds(loop)) }
    private val link get() = ends.async
    private val guest get() = ends.guest

    private fun fill(with: Frame) {
        do {
            val result = ends.host.trySend(with)
        } while (result == SENT)
    }

    @Test
    fun aFrameIsReceivedOnTheLoopThread() =
        onLoop {
            val waiting = async(start = UNDISPATCHED) { link.receive() }
            assertFalse(waiting.isCompleted)
            assertEquals(SENT, guest.trySend(frame(7)))
            assertEquals(7, waiting.await()?.id())
            assertTrue(loop.inLoop())
        }

    @Test
    fun onAnotherDispatcherItGoesOnThere() =
        within {
            withContext(Dispatchers.Default) {
                val waiting =
                    async(start = UNDISPATCHED) { link.receive().also { assertFalse(loop.inLoop()) } }
                assertEquals(SENT, guest.trySend(frame(7)))
                assertEquals(7, waiting.await()?.id())
            }
        }

    @Test
    fun aSendWaitsForRoomAndDataCanBeAwaited() =
        onLoop {
            var sent = 0
            while (ends.host.trySend(frame(sent)) == SENT) sent++
            val waiting = async(start = UNDISPATCHED) { link.send(frame(sent)) }
            val space = async { withContext(Dispatchers.Default) { guest.poll({ }, 1) } }
            assertEquals(1, space.await())
            assertEquals(SENT, waiting.await())
            val data = async(start = UNDISPATCHED) { link.awaitData() }
            assertEquals(SENT, guest.trySend(frame(1)))
            assertTrue(data.await())
            assertEquals(1, link.receive()?.id())
            val more = async(start = UNDISPATCHED) { link.awaitSpace() }
            assertEquals(sent, guest.poll({ }, 100))
            assertTrue(more.await())
        }

    @Test
    fun aLongFrameHasItsSlotAfterTheWaitForItsLength() =
        onLoop {
            val long = Frame.of(1, 0, ByteBuffer.allocate(200_000))
            var sent = 0
            while (link.trySend(long) == SENT) sent++
            assertTrue(link.awaitSpace())
            val room = async(start = UNDISPATCHED) { link.awaitSpace(long.length()) }
            assertFalse(room.isCompleted)
            assertEquals(sent, guest.poll({ }, 100))
            assertTrue(room.await())
            assertEquals(SENT, link.trySend(long))
        }

    @Test
    fun whatIsNotCollectedStaysInTheRingAndTheSenderSeesThatItIsFull() =
        onLoop {
            var sent = 0
            while (guest.trySend(frame(sent)) == SENT) sent++
            val some = link.frames().map { it.id().toInt() }
            assertEquals(listOf(0, 1), some.take(2).toList())
            assertEquals(SENT, guest.trySend(frame(sent)))
            assertEquals(SENT, guest.trySend(frame(sent + 1)))
            assertEquals(RING_FULL, guest.trySend(frame(sent + 2)))
            guest.close()
            assertEquals((2..sent + 1).toList(), some.toList())
            assertEquals(PeerState.GONE, ends.host.peerState())
        }

    @Test
    fun aFrameOfAChannelThatWasResetIsForNobodyAndTheLastOnesComeAfterIt() =
        onLoop {
            val theirs = guest.openChannel()
            val ours = checkNotNull(link.acceptChannel())
            assertEquals(SENT, theirs.trySend(frame(1)))
            ours.channel().reset()
            assertEquals(SENT, guest.trySend(frame(2)))
            guest.close()
            assertEquals(2, link.receive()?.id())
            assertNull(link.receive())
        }

    @Test
    fun aGoodbyeEndsTheWaits() =
        onLoop {
            fill(frame(1))
            val receiving = async(start = UNDISPATCHED) { link.receive() }
            val sending = async(start = UNDISPATCHED) { link.send(frame(1)) }
            guest.close()
            assertNull(receiving.await())
            assertEquals(PEER_GONE, sending.await())
            assertFalse(link.awaitSpace())
            assertFalse(link.awaitData())
            assertNull(link.claim(8) { it.bytes() })
            assertEquals(PEER_GONE, link.claimRefusal())
        }

    // r[verify shm.claim]

    /** The ring has room, so that a wait for any room would come back at once. */
    @Test
    fun whoLacksASlotSuspendsUntilThereIsOne() =
        onLoop {
            val long = Frame.of(1, 0, ByteBuffer.allocate(200_000))
            var sent = 0
            while (link.trySend(long) == SENT) sent++
            val turns = HeldBack()
            for (act in listOf<suspend () -> Any?>(
                { link.send(long) },
                { link.claim(long.length()) { it.commit(1, 0, 0) } },
            )) {
                val waiting = async(turns, start = UNDISPATCHED) { act() }
                try {
                    assertTrue(turns.isEmpty, "it has suspended, and is not to go on")
                    assertEquals(1, guest.poll({ }, 1))
                    withContext(Dispatchers.IO) { turns.next() }.run()
                    assertEquals(SENT, waiting.await())
                } finally {
                    waiting.cancel()
                    while (!turns.isEmpty) turns.next().run()
                }
            }
            assertEquals(sent, guest.poll({ }, 100))
        }

    @Test
    fun aCloseEndsTheWait() =
        onLoop {
            val waiting = async(start = UNDISPATCHED) { runCatching { link.receive() }.exceptionOrNull() }
            withContext(Dispatchers.IO) { ends.host.close() }
            assertInstanceOf(ClosedException::class.java, waiting.await())
            assertInstanceOf(ClosedException::class.java, runCatching { link.receive() }.exceptionOrNull())
        }

    @Test
    fun aSecondWaitIsAnErrorAndTheFirstGoesOn() =
        onLoop {
            val first = async(start = UNDISPATCHED) { link.receive() }
            assertInstanceOf(IllegalStateException::class.java, runCatching { link.receive() }.exceptionOrNull())
            guest.trySend(frame(3))
            assertEquals(3, first.await()?.id())
        }

    @Test
    fun aWaitThatRunsOutOfTimeLosesNoFrame() =
        onLoop {
            assertNull(withTimeoutOrNull(1.milliseconds) { link.receive() })
            guest.trySend(frame(3))
            assertEquals(3, link.receive()?.id())
        }

    /** The peer sends whenever there is room, so that the receiver never has to wait. */
    @Test
    fun aCoroutineThatAlwaysFindsFramesLetsOthersOfItsLoopGoOn() =
        onLoop {
            var hasRun = false
            guest.trySend(frame(0))
            launch { hasRun = true }
            var received = 0
            while (!hasRun) {
                assertEquals(received, link.receive()?.id()?.toInt())
                guest.trySend(frame(++received))
            }
            assertTrue(received <= 100, "received=$received")
        }
}
