package dev.carillon.coroutines

import dev.carillon.loop.EventLoop
import dev.carillon.loop.EventLoopOptions
import dev.carillon.loop.RunMode
import dev.carillon.test.Deadline
import dev.carillon.test.Seeded
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.lang.ref.WeakReference
import java.time.Duration
import java.util.SplittableRandom
import java.util.concurrent.RejectedExecutionException
import kotlin.concurrent.thread
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext

/** Waits in a LoopChannel and for a LoopMutex: when their cancellation is noticed, and whom it hits. */
class LoopWaitTest : LoopCase() {
    // r[verify kt.local]
    @Test
    fun aCancellationIsNoticedOnALoopThatHasNothingElseToDo() =
        within {
            val channel = LoopChannel<Int>(loop)
            val mutex = LoopMutex(loop).apply { withContext(loop.dispatcher) { lock() } }
            repeat(100) {
                val parks = loop.stats().parks()
                val waiting =
                    listOf(
                        launch(loop.dispatcher) { channel.receive() },
                        launch(loop.dispatcher) { mutex.lock() },
                    )
                Deadline.after(Duration.ofSeconds(20)).await("it waits") { loop.stats().parks() > parks }
                waiting.forEach { it.cancelAndJoin() }
            }
        }

    // r[verify kt.local]
    @Test
    fun aCancellationReachesALoopWhoseQueueIsFull() {
        val bounded = closeLater(EventLoop.open(EventLoopOptions.builder().backlog(1).build()))
        val channel = LoopChannel<Int>(bounded)
        val mutex = LoopMutex(bounded)
        val scope = CoroutineScope(bounded.dispatcher)
        // One after the other: the queue has one place, and what it refuses is cancelled elsewhere.
        val waiting =
            listOf<suspend () -> Unit>({ mutex.lock() }, { mutex.lock() }, { channel.receive() }).map { wait ->
                scope.launch { wait() }.also { bounded.runUntilEmpty() }
            }
        assertEquals(listOf(true, false, false), waiting.map { it.isCompleted })
        thread {
            assertThrows(RejectedExecutionException::class.java) { repeat(3) { bounded.execute {} } }
            waiting.forEach { it.cancel(null) }
        }.join()
        bounded.runUntilEmpty()
        assertTrue(waiting.all { it.isCompleted }) { "$waiting" }
    }

    @Test
    fun aCancellationIsNoticedThoughTheClockStandsStill() {
        val options = EventLoopOptions.builder().clock { 0 }.build()
        closeLater(EventLoop.open(options)).let { manual ->
            val channel = LoopChannel<Int>(manual)
            val waiting = CoroutineScope(manual.dispatcher).launch { channel.receive() }
            manual.runUntilEmpty()
            waiting.cancel(null)
            manual.runUntilEmpty()
            assertTrue(waiting.isCompleted)
            assertEquals(0, manual.stats().pendingTimers())
            manual.requestStop()
            manual.run(RunMode.DRAINED)
        }
    }

    @Test
    fun aCancellationThatComesLateHitsNobodyElse(
        @Seeded random: SplittableRandom,
    ) = within {
        val channel = LoopChannel<Int>(loop)
        withContext(Dispatchers.Default) {
            repeat(if (isStress) 20_000 else 2_000) { number ->
                var got: Int? = null
                val first = launch(loop.dispatcher) { got = channel.receive() }
                // Long enough to be known by its job, or not.
                repeat(random.nextInt(4)) { withContext(loop.dispatcher) { } }
                val sender = launch(loop.dispatcher) { channel.send(number) }
                first.cancelAndJoin()
                val second = async(loop.dispatcher) { channel.receive() }
                val expected = if (got == null) number else -1
                if (got != null) withContext(loop.dispatcher) { channel.send(-1) }
                assertEquals(expected, second.await())
                sender.join()
            }
        }
        onLoop { assertNull(channel.tryReceive()) }
    }

    @Test
    fun aCallOfAJobThatComesLateHitsNobodyElse() =
        onLoop {
            val channel = LoopChannel<Int>(loop)
            val first = launch(start = CoroutineStart.UNDISPATCHED) { channel.receive() }
            // Two iterations, so that its job knows it.
            repeat(600) { yieldOnLoop() }
            // Elsewhere, so that the loop hears of it by a post, which waits while this coroutine and its like go on.
            Thread { first.cancel(null) }.apply { start() }.join(20_000)
            channel.send(1)
            yieldOnLoop()
            assertEquals(1, channel.tryReceive())
            val second = async(start = CoroutineStart.UNDISPATCHED) { channel.receive() }
            repeat(600) { yieldOnLoop() }
            channel.send(2)
            assertEquals(2, second.await())
        }

    @Test
    fun aHundredWhoWaitGetTheirTurnInTheirOrderThoughSomeLeave() =
        onLoop {
            val channel = LoopChannel<Int>(loop)
            repeat(3) {
                val seen = mutableListOf<Int>()
                val waiting =
                    List(100) { number ->
                        launch(start = CoroutineStart.UNDISPATCHED) {
                            channel.receive()
                            seen += number
                        }
                    }
                repeat(300) { yieldOnLoop() }
                waiting.filterIndexed { number, _ -> number % 3 == 0 }.forEach { it.cancelAndJoin() }
                val staying = (0 until 100).filter { it % 3 != 0 }
                staying.forEach { channel.send(it) }
                waiting.joinAll()
                assertEquals(staying, seen)
            }
            assertNull(channel.tryReceive())
        }

    @Test
    fun anyNumberOfCoroutinesYieldInTurn() =
        onLoop {
            val order = mutableListOf<Int>()
            List(200) { number ->
                async {
                    repeat(3) {
                        order += number
                        yieldOnLoop()
                    }
                }
            }.awaitAll()
            assertEquals(List(3) { (0 until 200) }.flatten(), order)
        }

    @Test
    fun aYieldOfOneCoroutineIsNotEndedByTheCancellationOfAnother() =
        onLoop {
            repeat(50) {
                var turns = 0
                val first = launch { repeat(5) { yieldOnLoop() } }
                val second = launch { repeat(5) { yieldOnLoop().also { turns++ } } }
                yieldOnLoop()
                first.cancel(null)
                second.join()
                first.join()
                assertEquals(5, turns)
                assertTrue(first.isCancelled)
                assertFalse(second.isCancelled)
            }
        }

    @Test
    fun anElementThatComesBackIsBeforeThoseThatCameLater() =
        onLoop {
            val channel = LoopChannel<Int>(loop, 2)
            val first = launch(start = CoroutineStart.UNDISPATCHED) { channel.receive() }
            repeat(3) { channel.send(it) }
            first.cancelAndJoin()
            assertEquals(listOf(0, 1, 2, null), List(4) { channel.tryReceive() })
        }

    @Test
    fun aMutexThatWasGivenToACancelledOneGoesToTheNext() =
        onLoop {
            val mutex = LoopMutex(loop).apply { lock() }
            val first = launch(start = CoroutineStart.UNDISPATCHED) { mutex.lock() }
            val second = async(start = CoroutineStart.UNDISPATCHED) { mutex.withLock { 2 } }
            mutex.unlock()
            first.cancelAndJoin()
            assertEquals(2, second.await())
            assertFalse(mutex.isLocked)
        }

    @Test
    fun anElementOfACancelledReceiverComesAfterThoseThatWereOnTheirWay() =
        onLoop {
            val channel = LoopChannel<Int>(loop)
            val got = mutableListOf<String>()
            val receivers =
                listOf("a", "b", "c").map { name ->
                    launch(start = CoroutineStart.UNDISPATCHED) { got += name + channel.receive() }
                }
            channel.send(1)
            channel.send(2)
            receivers[0].cancel(null)
            receivers.joinAll()
            assertEquals(listOf("b2", "c1"), got)
        }

    @Test
    fun aChannelIsIteratedUntilItIsClosedAndEmpty() =
        onLoop {
            val channel = LoopChannel<Int>(loop, 2)
            launch {
                repeat(5) { channel.send(it) }
                channel.close()
            }
            val got = mutableListOf<Int>()
            for (element in channel) got += element
            assertEquals((0 until 5).toList(), got)
            assertFalse(channel.iterator().hasNext())
            assertThrows(NoSuchElementException::class.java) { channel.iterator().next() }
        }

    @Test
    fun anIterationThatIsCancelledLosesNoElement() =
        onLoop {
            val channel = LoopChannel<Int>(loop, 2)
            val got = mutableListOf<Int>()
            val iterating = launch(start = CoroutineStart.UNDISPATCHED) { for (element in channel) got += element }
            repeat(3) { channel.send(it) }
            iterating.cancelAndJoin()
            while (true) got += channel.tryReceive() ?: break
            assertEquals(listOf(0, 1, 2), got)
        }

    @Test
    fun noDepthDependsOnHowManyWait() =
        onLoop {
            val many = 50_000
            val mutex = LoopMutex(loop).apply { lock() }
            var entered = 0
            val waiting = List(many) { launch(start = CoroutineStart.UNDISPATCHED) { mutex.withLock { entered++ } } }
            mutex.unlock()
            waiting.joinAll()
            assertEquals(many, entered)

            val channel = LoopChannel<Int>(loop)
            val senders = List(many) { launch(start = CoroutineStart.UNDISPATCHED) { channel.send(it) } }
            repeat(many) { assertEquals(it, channel.receive()) }
            senders.joinAll()

            val receivers = List(many) { launch(start = CoroutineStart.UNDISPATCHED) { channel.receiveOrNull() } }
            channel.close()
            receivers.joinAll()
        }

    @Test
    fun theContextOfACoroutineThatIsOverIsNotKept() {
        val seen = mutableListOf<WeakReference<Any>>()
        val channel = LoopChannel<Int>(loop)
        val mutex = LoopMutex(loop)
        onLoop { useAndLeave(channel, mutex, seen) }
        // One more, so that the coroutine of the test itself is over, too.
        within { withContext(loop.dispatcher) { } }
        Deadline.after(Duration.ofSeconds(20)).await("the contexts are garbage") {
            System.gc()
            seen.all { it.get() == null }
        }
        assertEquals(4, seen.size)
    }

    /** On one dispatcher object, which the contexts would be kept by. */
    private suspend fun useAndLeave(
        channel: LoopChannel<Int>,
        mutex: LoopMutex,
        seen: MutableList<WeakReference<Any>>,
    ) {
        val kept = loop.dispatcher.also(dispatchers::add)

        fun launchWith(action: suspend () -> Unit) =
            CoroutineScope(kept + Much().also { seen += WeakReference(it) }).launch { action() }
        mutex.lock()
        val jobs =
            listOf(
                launchWith { yieldOnLoop() },
                launchWith { channel.send(1) },
                launchWith { channel.receive() },
                launchWith { mutex.lock() },
            )
        yieldOnLoop()
        mutex.unlock()
        jobs.joinAll()
    }

    private val dispatchers = mutableListOf<LoopDispatcher>()

    /** What a coroutine was given, and what is garbage with it. */
    private class Much : AbstractCoroutineContextElement(Much) {
        companion object Key : CoroutineContext.Key<Much>
    }
}
