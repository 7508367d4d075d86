package dev.carillon.coroutines

import dev.carillon.ClosedException
import dev.carillon.Signal
import dev.carillon.SignalSet
import dev.carillon.io.Inotify
import dev.carillon.loop.EventLoop
import dev.carillon.signal.SignalService
import dev.carillon.test.Deadline
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertInstanceOf
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.ByteBuffer
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.TimeUnit
import kotlin.coroutines.Continuation
import kotlin.coroutines.startCoroutine
import kotlin.time.Duration.Companion.hours

/** A coroutine outlives its loop: it is cancelled and cleans up elsewhere, whatever it was doing. */
class ClosedLoopTest : LoopCase() {
    // r[verify kt.dispatcher]
    @Test
    fun aLaunchOnAClosedLoopIsCancelledAndDoesNotRun() =
        within {
            loop.close()
            var ran = false
            val job = CoroutineScope(loop.dispatcher).launch { ran = true }
            job.join()
            assertTrue(job.isCancelled)
            assertFalse(ran)
        }

    @Test
    fun changingToAClosedLoopThrowsACancellationThatSaysWhy() =
        within {
            loop.close()
            supervisorScope {
                val failure = failureOf { withContext(Job() + loop.dispatcher) { } }
                assertInstanceOf(RejectedExecutionException::class.java, failure.rootCause())
            }
        }

    private fun Throwable.rootCause(): Throwable = generateSequence(this) { it.cause }.last()

    @Test
    fun aDelayEndsWithItsLoop() = endsWithTheLoop { delay(1.hours) }

    @Test
    fun aSleepEndsWithItsLoop() = endsWithTheLoop { loop.sleep(1.hours) }

    @Test
    fun aSleepOfAnotherLoopsCoroutineFailsAndLeavesItsJobAlone() =
        within {
            val other = started("other")
            val sleeping = async(other.dispatcher) { failureOf { loop.sleep(1.hours) } }
            Deadline.after(Duration.ofSeconds(20)).await("it sleeps") { loop.stats().pendingTimers() > 0 }
            loop.close()
            assertInstanceOf(ClosedException::class.java, sleeping.await())
        }

    @Test
    fun aTimeoutEndsWithItsLoop() = endsWithTheLoop { withTimeout(1.hours) { awaitCancellation() } }

    @Test
    fun aReadEndsWithItsLoop() {
        val (left, _) = pair()
        endsWithTheLoop { left.readSome(ByteBuffer.allocate(1)) }
    }

    @Test
    fun anAcceptEndsWithItsLoop() {
        val server = server()
        endsWithTheLoop { server.accept() }
    }

    @Test
    fun aWaitForASignalEndsWithItsLoop() {
        val service = closeLater(SignalService.attach(loop, SignalSet.of(Signal.SIGURG)))
        endsWithTheLoop { service.awaitSignal(Signal.SIGURG) }
    }

    @Test
    fun aLaunchedCoroutineThatWaitsForACommandEndsWithItsLoop() {
        val done = CompletableDeferred<Unit>()
        endsWithTheLoop(wake = { done.complete(Unit) }) { done.await() }
    }

    @Test
    fun onImmediateTheyEndAsOnThePlainDispatcher() {
        val waits =
            listOf<suspend (EventLoop) -> Unit>(
                { delay(1.hours) },
                { it.sleep(1.hours) },
                { withTimeout(1.hours) { awaitCancellation() } },
                { pair(it).first.readSome(ByteBuffer.allocate(1)) },
                { server(it).accept() },
                { closeLater(it.connect(server(loop).localAddress())).readSome(ByteBuffer.allocate(1)) },
                { it.awaitReadable(closeLater(Inotify.open()).number()) },
                { SignalService.attach(it, SignalSet.of(Signal.SIGURG)).awaitSignal(Signal.SIGURG) },
            )
        waits.forEachIndexed { index, wait ->
            val own = started("own-$index")
            endsWithTheLoop(on = own, dispatcher = own.dispatcher.immediate) { wait(own) }
        }
    }

    /** Closes the loop while [wait] suspends: the coroutine is cancelled, and its finally runs on Dispatchers.IO. */
    private fun endsWithTheLoop(
        on: EventLoop = loop,
        dispatcher: LoopDispatcher = on.dispatcher,
        wake: () -> Unit = {},
        wait: suspend () -> Unit,
    ) = within {
        val waits = CompletableDeferred<Unit>()
        var cleanedOn = ""
        var failure: Throwable? = null
        val job =
            CoroutineScope(dispatcher).launch {
                waits.complete(Unit)
                try {
                    wait()
                } catch (thrown: Exception) {
                    failure = thrown
                    throw thrown
                } finally {
                    cleanedOn = Thread.currentThread().name
                }
            }
        waits.await()
        withContext(on.dispatcher) { }
        on.close()
        wake()
        job.join()
        assertTrue(job.isCancelled)
        assertInstanceOf(CancellationException::class.java, failure) { "$failure" }
        assertTrue(cleanedOn.startsWith("DefaultDispatcher-worker")) { "cleaned up on $cleanedOn" }
    }

    @Test
    fun workOnAClosedLoopIsRejectedWhereItIsStarted() =
        within {
            val (left, _) = pair()
            loop.close()
            assertInstanceOf(
                RejectedExecutionException::class.java,
                failureOf { left.readSome(ByteBuffer.allocate(1)) },
            )
            assertInstanceOf(RejectedExecutionException::class.java, failureOf { loop.sleep(1.hours) })
            assertInstanceOf(RejectedExecutionException::class.java, failureOf { loop.awaitReadable(0) })
        }

    @Test
    fun aDelayThatHasNoJobToCancelGoesOnElsewhere() {
        loop.close()
        val took = CompletableFuture<Long>()
        val before = System.nanoTime()
        suspend {
            delay(
                20,
            )
        }.startCoroutine(Continuation(loop.dispatcher) { took.complete(System.nanoTime() - before) })
        val nanos = Nudges().use { took.get(LIMIT.inWholeSeconds, TimeUnit.SECONDS) }
        assertTrue(nanos >= 20_000_000)
    }

    @Test
    fun whatWasDispatchedBeforeTheCloseRuns() =
        within {
            repeat(100) {
                val own = EventLoop.open()
                var ran = 0
                val jobs = List(10) { CoroutineScope(own.dispatcher).launch { ran++ } }
                own.close()
                jobs.forEach { it.join() }
                assertEquals(10, ran)
            }
        }

    private suspend fun failureOf(action: suspend () -> Unit): Throwable =
        try {
            action()
            throw AssertionError("it did not fail")
        } catch (failure: RuntimeException) {
            failure
        }
}
