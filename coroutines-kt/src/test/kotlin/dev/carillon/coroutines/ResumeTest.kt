package dev.carillon.coroutines

import dev.carillon.io.StreamSocket
import dev.carillon.test.Deadline
import dev.carillon.test.Seeded
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineStart.UNDISPATCHED
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertInstanceOf
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.ByteBuffer
import java.time.Duration
import java.util.SplittableRandom
import java.util.concurrent.CompletableFuture
import kotlin.coroutines.Continuation
import kotlin.coroutines.coroutineContext
import kotlin.coroutines.startCoroutine
import kotlin.time.Duration.Companion.microseconds

// r[verify kt.resume]

/** How a coroutine goes on when what it waited for is there: in place on its own loop, else by its dispatcher. */
class ResumeTest : LoopCase() {
    /** The tasks that the loop runs for so many times an action, beyond those that it runs for none. */
    private suspend fun tasksFor(
        times: Int,
        action: suspend () -> Unit,
    ): Double {
        val before = loop.stats().tasks()
        repeat(times) { action() }
        return (loop.stats().tasks() - before).toDouble() / times
    }

    @Test
    fun aReadThatWaitsTakesNoTaskBesideItsCompletion() =
        onLoop {
            val (left, right) = pair()
            val echo = launch { answer(right) }
            val buffer = ByteBuffer.allocateDirect(8)
            val tasks =
                tasksFor(1_000) {
                    left.writeAll(buffer.clear())
                    left.readSome(buffer.clear())
                }
            assertTrue(tasks < 0.1) { "$tasks tasks a message" }
            left.close()
            echo.join()
        }

    @Test
    fun noWaitForTimeTakesATask() =
        onLoop {
            val sleeps = tasksFor(50) { loop.sleep(1.microseconds) }
            val delays = tasksFor(20) { delay(1) }
            assertTrue(sleeps < 0.1 && delays < 0.1) { "$sleeps and $delays tasks" }
        }

    @Test
    fun whatNeedsNoWaitDoesNotSuspend() =
        onLoop {
            val (left, right) = pair()
            val buffer = ByteBuffer.allocateDirect(8)
            var others = 0
            val other = launch { while (true) yieldOnLoop().also { others++ } }
            yieldOnLoop()
            val before = others
            repeat(4) {
                left.writeAll(buffer.clear())
                right.readSome(buffer.clear())
            }
            assertEquals(before, others)
            other.cancelAndJoin()
        }

    @Test
    fun whatAThreadCarriesInABlockIsGoneAfterItOnTheImmediateDispatcherToo() =
        onLoop {
            val carried = ThreadLocal.withInitial { "nothing" }
            val (left, right) = pair()
            val echo = launch { answer(right) }
            launch(loop.dispatcher.immediate) {
                val buffer = ByteBuffer.allocateDirect(8)
                repeat(5) {
                    withContext(Carried(carried, "inner")) {
                        left.writeAll(buffer.clear())
                        left.readSome(buffer.clear())
                        assertEquals("inner", carried.get())
                        loop.sleep(1.microseconds)
                        assertEquals("inner", carried.get())
                    }
                    assertEquals("nothing", carried.get())
                }
            }.join()
            left.close()
            echo.join()
        }

    @Test
    fun whatAThreadCarriesForACoroutineIsThereAfterEachWait() =
        onLoop {
            val carried = ThreadLocal.withInitial { "nothing" }
            val (left, right) = pair()
            val echo = launch { answer(right) }
            launch(Carried(carried, "mine")) {
                val buffer = ByteBuffer.allocateDirect(8)
                repeat(5) {
                    left.writeAll(buffer.clear())
                    left.readSome(buffer.clear())
                    assertEquals("mine", carried.get())
                    loop.sleep(1.microseconds)
                    assertEquals("mine", carried.get())
                    delay(1)
                    assertEquals("mine", carried.get())
                    // It goes on undispatched, in a coroutine that kotlinx keeps the state of.
                    withContext(Carried(carried, "inner")) {
                        left.writeAll(buffer.clear())
                        left.readSome(buffer.clear())
                        assertEquals("inner", carried.get())
                    }
                    assertEquals("mine", carried.get())
                }
            }.join()
            assertEquals("nothing", carried.get())
            left.close()
            echo.join()
        }

    @Test
    fun severalOperationsOfOneContextWaitAtOnce() =
        onLoop {
            val pairs = List(3) { pair() }
            val context = coroutineContext + Job()
            val results =
                pairs.map { (left, _) ->
                    val result = CompletableFuture<Int>()
                    val read: suspend () -> Int = { left.readSome(ByteBuffer.allocate(8)) }
                    read.startCoroutine(
                        Continuation(context) {
                            it.fold(result::complete, result::completeExceptionally)
                        },
                    )
                    result
                }
            yieldOnLoop()
            pairs[1].second.writeAll(bytes("two"))
            pairs[0].second.writeAll(bytes("one1"))
            while (results.count { it.isDone } < 2) yieldOnLoop()
            assertEquals(listOf(4, 3), results.take(2).map { it.join() })
            assertFalse(results[2].isDone)
            checkNotNull(context[Job]).cancel(null)
            while (!results[2].isDone) yieldOnLoop()
            assertInstanceOf(CancellationException::class.java, results[2].handle { _, failure -> failure }.join())
        }

    @Test
    fun whatACoroutineWithoutAJobThrowsGoesToTheLoopsErrorHandler() {
        val (left, right) = pair()
        val thrown = IllegalStateException("planted")
        val read: suspend () -> Int = { left.readSome(ByteBuffer.allocate(8)) }
        within {
            withContext(loop.dispatcher) { read.startCoroutine(Continuation(loop.dispatcher) { throw thrown }) }
            right.writeAll(bytes("x"))
        }
        Deadline.after(Duration.ofSeconds(20)).await("the error is told") { errors.isNotEmpty() }
        assertSame(thrown, errors.remove())
    }

    /** Operations are used again: a job that tells late of its cancellation must not end the wait of another coroutine. */
    @Test
    fun aCancellationThatComesLateEndsNoOtherOperation(
        @Seeded random: SplittableRandom,
    ) = within(LIMIT * 4) {
        val (left, right) = pair()
        val (other, far) = pair()
        val onLoop = loop.dispatcher
        withContext(Dispatchers.Default) {
            repeat(if (isStress) 200_000 else 10_000) { number ->
                val first = launch(onLoop) { right.readSome(ByteBuffer.allocate(1)) }
                val second =
                    async(onLoop) {
                        first.join()
                        other.readSome(ByteBuffer.allocate(8))
                    }
                if (number % 2 == 0) left.writeAll(bytes("x"))
                val end = System.nanoTime() + random.nextInt(20_000)
                while (System.nanoTime() < end) Thread.onSpinWait()
                first.cancel(null)
                first.join()
                far.writeAll(bytes("data"))
                assertEquals(4, second.await())
            }
        }
        assertEquals(0, loop.stats().pendingOperations())
    }

    @Test
    fun aReadThatWasCancelledLeavesTheNextOneAlone() =
        onLoop {
            val (left, right) = pair()
            repeat(50) {
                val reading = launch(start = UNDISPATCHED) { left.readSome(ByteBuffer.allocate(8)) }
                reading.cancelAndJoin()
                right.writeAll(bytes("data"))
                assertEquals(4, left.readSome(ByteBuffer.allocate(8)))
            }
        }

    private suspend fun answer(peer: StreamSocket) {
        val buffer = ByteBuffer.allocateDirect(64)
        while (peer.readSome(buffer.clear()) >= 0) peer.writeAll(buffer.flip())
    }
}
