package dev.carillon.coroutines

import dev.carillon.ExitStatus
import dev.carillon.process.Spawn
import dev.carillon.process.Stdio
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.future.await
import kotlinx.coroutines.future.future
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.withContext
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.ByteBuffer
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds

/** Our suspend functions in event loops of others. */
class InteropTest : LoopCase() {
    // r[verify kt.interop]
    @OptIn(ExperimentalCoroutinesApi::class)
    @Test
    fun underRunTestTheirTimeIsSkippedAndOursIsReal() =
        runTest {
            val (left, right) = pair()
            val caller = Thread.currentThread()
            val before = System.nanoTime()
            delay(1.hours)
            loop.sleep(5.milliseconds)
            assertTrue(System.nanoTime() - before >= 5_000_000)
            assertEquals(1.hours.inWholeMilliseconds, currentTime)
            val reading = async { ByteBuffer.allocate(8).also { right.readSome(it) } }
            left.writeAll(bytes("test"))
            assertEquals("test", text(reading.await()))
            assertSame(caller, Thread.currentThread())
            withContext(loop.dispatcher) { yieldOnLoop() }
        }

    // r[verify kt.contract]
    @OptIn(ExperimentalCoroutinesApi::class)
    @Test
    fun underRunTestAReadCanBeCancelled() =
        runTest {
            val (left, right) = pair()
            val buffer = ByteBuffer.allocate(8)
            val reading = launch { right.readSome(buffer) }
            testScheduler.runCurrent()
            reading.cancel()
            reading.join()
            left.writeAll(bytes("later"))
            assertEquals(5, right.readSome(buffer))
        }

    // r[verify kt.process]
    @OptIn(ExperimentalCoroutinesApi::class)
    @Test
    fun underRunTestTheGraceOfAChildIsRealTime() =
        Nudges().use {
            // The end of the child is awaited on Dispatchers.IO.
            runTest {
                val script = "trap 'sleep 0.2; exit 7' TERM; echo; while :; do sleep 0.01; done"
                Spawn.command("sh", "-c", script).stdout(Stdio.pipe()).start(loop).use { child ->
                    child.stdout().readSome(ByteBuffer.allocate(1))
                    val waiting = launch { child.awaitExitOrEnd(grace = LIMIT) }
                    testScheduler.runCurrent()
                    waiting.cancelAndJoin()
                    assertEquals(ExitStatus.exited(7), child.awaitExit())
                }
            }
        }

    @Test
    fun underRunBlockingEverythingGoesOnOnItsThread() =
        runBlocking {
            val (left, right) = pair()
            val caller = Thread.currentThread()
            val reading = async { right.readSome(ByteBuffer.allocate(8)) }
            left.writeAll(bytes("x"))
            assertEquals(1, reading.await())
            loop.sleep(1.milliseconds)
            assertSame(caller, Thread.currentThread())
        }

    @Test
    fun futuresAndCoroutinesMix() {
        val (left, right) = pair()
        val buffer = ByteBuffer.allocate(8)
        val future =
            CoroutineScope(loop.dispatcher).future {
                val read = right.readSomeAsync(buffer)
                left.writeAllAsync(bytes("mixed")).await()
                read.await()
            }
        assertEquals(5, future.get(LIMIT.inWholeSeconds, TimeUnit.SECONDS))
    }

    @Test
    fun twoLoopsTalkThroughOneCoroutine() =
        within {
            val other = started("other")
            val (left, right) = pair()
            withContext(other.dispatcher) {
                repeat(100) {
                    left.writeAll(bytes("x"))
                    assertEquals(1, right.readSome(ByteBuffer.allocate(1)))
                    assertTrue(other.inLoop())
                    withContext(loop.dispatcher) { assertTrue(loop.inLoop()) }
                }
            }
            withContext(Dispatchers.IO) { loop.awaitWritable(1) }
        }
}
