package dev.carillon.coroutines

import dev.carillon.ClosedException
import dev.carillon.shm.doorbell.AsyncDoorbell
import dev.carillon.shm.doorbell.Doorbell
import dev.carillon.shm.doorbell.DoorbellEvent.PEER_GONE
import dev.carillon.shm.doorbell.DoorbellEvent.RUNG
import dev.carillon.test.Seeded
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineStart.UNDISPATCHED
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertInstanceOf
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.util.SplittableRandom
import kotlin.time.Duration.Companion.milliseconds

// r[verify shm.doorbell.async]
class DoorbellsTest : LoopCase() {
    private val pair by lazy { closeLater(Doorbell.pair()) }
    private val host: Doorbell get() = pair.host()
    private val guest: AsyncDoorbell by lazy {
        loop
        closeLater(pair.guest().onLoop(loop))
    }

    @Test
    fun aRingAndThenTheDeathAreToldOnTheLoopThread() =
        onLoop {
            val ring = async(start = UNDISPATCHED) { guest.awaitEvent() }
            assertFalse(ring.isCompleted)
            host.ring()
            assertEquals(RUNG, ring.await())
            assertTrue(loop.inLoop())
            host.ring()
            host.close()
            assertEquals(RUNG, guest.awaitEvent())
            assertEquals(PEER_GONE, guest.awaitEvent())
            assertEquals(PEER_GONE, guest.awaitEvent())
        }

    @Test
    fun onAnotherDispatcherItGoesOnThere() =
        within {
            withContext(Dispatchers.Default) {
                val ring = async(start = UNDISPATCHED) { guest.awaitEvent().also { assertFalse(loop.inLoop()) } }
                host.ring()
                assertEquals(RUNG, ring.await())
            }
        }

    @Test
    fun aSecondWaitIsAnErrorAndTheFirstGoesOn() =
        onLoop {
            val first = async(start = UNDISPATCHED) { guest.awaitEvent() }
            assertInstanceOf(IllegalStateException::class.java, runCatching { guest.awaitEvent() }.exceptionOrNull())
            host.ring()
            assertEquals(RUNG, first.await())
        }

    @Test
    fun aCloseEndsTheWait() =
        onLoop {
            val waiting = async(start = UNDISPATCHED) { runCatching { guest.awaitEvent() }.exceptionOrNull() }
            guest.close()
            assertInstanceOf(ClosedException::class.java, waiting.await())
            assertInstanceOf(ClosedException::class.java, runCatching { guest.awaitEvent() }.exceptionOrNull())
        }

    @Test
    fun aWaitThatRunsOutOfTimeLosesNoRing() =
        onLoop {
            assertNull(withTimeoutOrNull(1.milliseconds) { guest.awaitEvent() })
            host.ring()
            assertEquals(RUNG, guest.awaitEvent())
        }

    @Test
    fun aRingThatMeetsACancellationIsKept(
        @Seeded random: SplittableRandom,
    ) = within {
        for (dispatcher in listOf<CoroutineDispatcher>(loop.dispatcher, Dispatchers.Default)) {
            repeat(if (isStress) 20_000 else 2_000) { round ->
                var taken = false
                val waiting =
                    launch(dispatcher) {
                        guest.awaitEvent()
                        taken = true
                    }
                val end = System.nanoTime() + random.nextInt(20_000)
                while (System.nanoTime() < end) Thread.onSpinWait()
                host.ring()
                waiting.cancelAndJoin()
                if (!taken) {
                    assertEquals(RUNG, withTimeoutOrNull(LIMIT / 2) { guest.awaitEvent() }, "round $round")
                }
            }
        }
    }
}
