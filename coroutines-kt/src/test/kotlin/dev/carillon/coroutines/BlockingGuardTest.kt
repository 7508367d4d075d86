package dev.carillon.coroutines

import dev.carillon.Signal
import dev.carillon.SignalSet
import dev.carillon.futex.EventCount
import dev.carillon.futex.FutexWord
import dev.carillon.memory.MemoryRegion
import dev.carillon.shm.doorbell.Doorbell
import dev.carillon.signal.SignalService
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import org.junit.jupiter.api.Assertions.assertInstanceOf
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.time.Duration

// r[verify kt.blocking-guard]

/** What would block the thread of a loop is refused there, with advice, and works elsewhere. */
class BlockingGuardTest : LoopCase() {
    private val region by lazy { closeLater(MemoryRegion.anonymous(4_096)) }
    private val pair by lazy { closeLater(Doorbell.pair()) }

    private fun refused(
        name: String,
        call: () -> Unit,
    ) = onLoop {
        val thrown = assertInstanceOf(IllegalStateException::class.java, runCatching(call).exceptionOrNull())
        val text = thrown.message.orEmpty()
        assertTrue(text.contains("$name would block the event loop of thread test-loop"), text)
        assertTrue(text.contains("call it on another thread, or use its loop operation"), text)
        withContext(Dispatchers.IO) { call() }
    }

    private fun soon() = System.nanoTime() + 1_000_000

    @Test
    fun aWaitOnAWord() {
        refused("FutexWord.await") { FutexWord.at(region, 0).await(0, soon()) }
    }

    @Test
    fun aWaitOnAnEventCount() {
        refused("FutexWord.await") { EventCount.at(region, 0).awaitUntil({ false }, soon()) }
    }

    @Test
    fun aWaitForADoorbell() {
        refused("Doorbell.await") { pair.host().await(Duration.ofMillis(1)) }
        refused("Doorbell.await") { pair.host().awaitUntil(soon()) }
        pair.guest().ring()
        refused("Doorbell.await") { pair.host().await() }
    }

    @Test
    fun attachingAndReleasingASignalOnAnotherLoop() {
        val other = started("other")
        refused("SignalService.attach()") {
            SignalService.attach(other, SignalSet.of(Signal.SIGURG)).close()
        }
        val service = closeLater(SignalService.attach(other, SignalSet.of(Signal.SIGWINCH)))
        refused("SignalService.release()") { service.release(Signal.SIGWINCH) }
    }
}
