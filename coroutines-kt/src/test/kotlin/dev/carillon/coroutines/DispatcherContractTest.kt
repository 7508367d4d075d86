package dev.carillon.coroutines

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineExceptionHandler
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNotEquals
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.ByteBuffer
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit

/** What coroutines expect of any dispatcher. */
class DispatcherContractTest : LoopCase() {
    // r[verify kt.contract]
    @Test
    fun coroutinesRunOnTheLoopInTheOrderInWhichTheyWereLaunched() =
        onLoop {
            val seen = mutableListOf<Int>()
            coroutineScope {
                repeat(1_000) { number ->
                    launch {
                        assertTrue(loop.inLoop())
                        seen += number
                    }
                }
                assertEquals(emptyList<Int>(), seen, "a launch does not run in the middle of its launcher")
            }
            assertEquals((0 until 1_000).toList(), seen)
        }

    @Test
    fun oneThreadsLaunchesFromOutsideKeepTheirOrder() =
        within {
            val seen = mutableListOf<Int>()
            List(10_000) { number -> launch(loop.dispatcher) { seen += number } }.joinAll()
            assertEquals((0 until 10_000).toList(), seen)
        }

    @Test
    fun yieldLetsEverybodyElseGoOnceBeforeItComesBack() =
        onLoop {
            val seen = StringBuilder()
            coroutineScope {
                for (name in listOf('a', 'b', 'c')) {
                    launch {
                        repeat(3) {
                            seen.append(name)
                            yield()
                        }
                    }
                }
                launch { loop.execute { seen.append('t') } }
            }
            assertEquals("abcabctabc", seen.toString())
        }

    @Test
    fun aCoroutineThatYieldsForEverStarvesNeitherTimersNorSockets() =
        onLoop {
            val spinner = launch { while (true) yield() }
            val (left, right) = pair()
            loop.sleep(LIMIT / 10_000)
            left.writeAll(bytes("x"))
            assertEquals(1, right.readSome(ByteBuffer.allocate(1)))
            spinner.cancel(null)
        }

    @Test
    fun anUndispatchedStartRunsUntilItSuspends() =
        within {
            val caller = Thread.currentThread()
            val seen = mutableListOf<Boolean>()
            launch(loop.dispatcher, start = CoroutineStart.UNDISPATCHED) {
                seen += Thread.currentThread() === caller
                yield()
                seen += loop.inLoop()
            }.join()
            assertEquals(listOf(true, true), seen)
        }

    @Test
    fun anExceptionReachesTheHandlerAndTheLoopGoesOn() {
        val caught = CompletableFuture<Throwable>()
        val handler = CoroutineExceptionHandler { _, failure -> caught.complete(failure) }
        val scope = CoroutineScope(loop.dispatcher + SupervisorJob() + handler)
        scope.launch { error("broken") }
        assertEquals("broken", caught.get(LIMIT.inWholeSeconds, TimeUnit.SECONDS).message)
        onLoop { assertTrue(loop.inLoop()) }
        assertEquals(0, loop.stats().failures())
    }

    @Test
    fun anExceptionOfAnAwaitedCoroutineIsItsAwaiters() =
        onLoop {
            supervisorScope {
                val failing = async { error("broken") }
                assertEquals("broken", failing.failureOrNull()?.message)
            }
        }

    private suspend fun Deferred<*>.failureOrNull(): Throwable? =
        try {
            await()
            null
        } catch (failure: IllegalStateException) {
            failure
        }

    @Test
    fun aCoroutineThatIsCancelledWhileItIsQueuedNeverStarts() =
        onLoop {
            var started = false
            val queued = launch { started = true }
            queued.cancel(null)
            queued.join()
            assertFalse(started)
        }

    @OptIn(DelicateCoroutinesApi::class)
    @Test
    fun anAtomicStartRunsAlthoughItWasCancelledWhileQueued() =
        onLoop {
            var started = false
            val queued = launch(start = CoroutineStart.ATOMIC) { started = true }
            queued.cancel(null)
            queued.join()
            assertTrue(started)
        }

    @Test
    fun cancellingAParentUnwindsItsChildrenOnTheLoop() =
        onLoop {
            val threads = mutableListOf<Thread>()
            val parent =
                launch {
                    repeat(3) {
                        launch {
                            try {
                                awaitCancellation()
                            } finally {
                                threads += Thread.currentThread()
                            }
                        }
                    }
                }
            yield()
            yield()
            withContext(Dispatchers.Default) { parent.cancel(null) }
            parent.join()
            assertEquals(List(3) { Thread.currentThread() }, threads)
        }

    @Test
    fun immediateDoesNotQueueOnTheLoopAndDoesElsewhere() =
        onLoop {
            val seen = StringBuilder()
            coroutineScope {
                launch(loop.dispatcher) { seen.append('c') }
                launch(loop.dispatcher.immediate) { seen.append('a') }
                seen.append('b')
            }
            assertEquals("abc", seen.toString())
            withContext(Dispatchers.Default) {
                withContext(loop.dispatcher.immediate) { assertTrue(loop.inLoop()) }
            }
            withContext(started("other").dispatcher) {
                withContext(loop.dispatcher.immediate) { assertTrue(loop.inLoop()) }
            }
        }

    @Test
    fun anImmediateCoroutineThatYieldsLetsOthersGoFirst() =
        onLoop {
            val seen = StringBuilder()
            coroutineScope {
                launch(loop.dispatcher) { seen.append('b') }
                launch(loop.dispatcher.immediate) {
                    seen.append('a')
                    yield()
                    seen.append('c')
                }
            }
            assertEquals("abc", seen.toString())
        }

    @Test
    fun changingToTheSameLoopDoesNotDispatch() =
        onLoop {
            val tasks = loop.stats().tasks()
            repeat(100) { withContext(loop.dispatcher) { assertTrue(loop.inLoop()) } }
            withContext(CoroutineName("named")) { assertTrue(loop.inLoop()) }
            assertTrue(loop.stats().tasks() - tasks <= 1)
        }

    // r[verify kt.dispatcher]
    @Test
    fun oneLoopHasEqualDispatchersAndTheirNamesTellThemApart() {
        val dispatcher = loop.dispatcher
        assertEquals(dispatcher, loop.dispatcher)
        assertEquals(dispatcher.hashCode(), loop.dispatcher.hashCode())
        assertSame(loop, dispatcher.loop)
        assertEquals("LoopDispatcher[test-loop]", dispatcher.toString())
        assertEquals("LoopDispatcher[test-loop].immediate", dispatcher.immediate.toString())
        assertNotEquals(dispatcher, dispatcher.immediate)
        val immediate = dispatcher.immediate
        assertSame(immediate, immediate.immediate)
        assertSame(immediate, dispatcher.immediate)
        assertNotEquals(dispatcher, opened("another").dispatcher)
    }

    @Test
    fun aLimitOfAnyWidthIsTheLoopItself() {
        val dispatcher = loop.dispatcher
        assertSame(dispatcher, dispatcher.limitedParallelism(1))
        assertSame(dispatcher, dispatcher.limitedParallelism(64))
        val named: CoroutineDispatcher = dispatcher.limitedParallelism(1, "orders")
        assertEquals("orders", named.toString())
        assertEquals("orders.immediate", dispatcher.immediate.limitedParallelism(2, "orders").toString())
        assertThrows(IllegalArgumentException::class.java) { dispatcher.limitedParallelism(0) }
        within { withContext(named) { assertTrue(loop.inLoop()) } }
    }

    @Test
    fun aJobKnowsItsDispatcherInDebugStrings() =
        within {
            val job = launch(loop.dispatcher) { awaitCancellation() }
            assertTrue(CoroutineScope(job + loop.dispatcher).toString().contains("LoopDispatcher[test-loop]"))
            job.cancel(CancellationException("seen"))
            job.join()
            assertTrue(job.isCancelled)
        }
}
