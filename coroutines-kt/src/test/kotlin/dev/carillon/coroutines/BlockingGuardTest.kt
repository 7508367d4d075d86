package dev.carillon.coroutines

import dev.carillon.Signal
import dev.carillon.SignalSet
import dev.carillon.futex.EventCount
import dev.carillon.futex.FutexWord
import dev.carillon.memory.MemoryRegion
import dev.carillon.shm.doorbell.Doorbell
import dev.carillon.signal.SignalService
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertInstanceOf
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.ByteBuffer
import java.time.Duration
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds

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

    @Test
    fun runBlockingAroundAWaitForTheLoop() =
        onLoop {
            val (left, _) = pair()
            val waits =
                listOf<suspend () -> Unit>(
                    { left.readSome(ByteBuffer.allocate(1)) },
                    { loop.sleep(1.hours) },
                    { SignalService.on(loop).awaitSignal(Signal.SIGWINCH) },
                    { coroutineScope { launch { pair.guest().onLoop(loop).awaitEvent() } } },
                )
            for (wait in waits) {
                val thrown = runCatching { runBlocking { wait() } }.exceptionOrNull()
                val text = assertInstanceOf(IllegalStateException::class.java, thrown).message.orEmpty()
                assertTrue(text.startsWith("runBlocking would block the event loop of thread test-loop"), text)
                assertTrue(text.contains("launch the coroutine with loop.dispatcher"), text)
            }
            assertEquals(3, runBlocking { 3 }, "nothing is wrong with one that does not wait for a loop")
            withContext(Dispatchers.IO) { runBlocking { loop.sleep(1.milliseconds) } }
        }
}
