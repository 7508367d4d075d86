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
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.time.Duration
import java.util.SplittableRandom

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
            repeat(600) { hop() }
            // Elsewhere, so that the loop hears of it by a post, which waits while this coroutine and its like go on.
            Thread { first.cancel(null) }.apply { start() }.join(20_000)
            channel.send(1)
            hop()
            assertEquals(1, channel.tryReceive())
            val second = async(start = CoroutineStart.UNDISPATCHED) { channel.receive() }
            repeat(600) { hop() }
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
                repeat(300) { hop() }
                waiting.filterIndexed { number, _ -> number % 3 == 0 }.forEach { it.cancelAndJoin() }
                val staying = (0 until 100).filter { it % 3 != 0 }
                staying.forEach { channel.send(it) }
                waiting.joinAll()
                assertEquals(staying, seen)
            }
            assertNull(channel.tryReceive())
        }

    @Test
    fun anyNumberOfCoroutinesHopInTurn() =
        onLoop {
            val order = mutableListOf<Int>()
            List(200) { number ->
                async {
                    repeat(3) {
                        order += number
                        hop()
                    }
                }
            }.awaitAll()
            assertEquals(List(3) { (0 until 200) }.flatten(), order)
        }

    @Test
    fun aHopOfOneCoroutineIsNotEndedByTheCancellationOfAnother() =
        onLoop {
            repeat(50) {
                var turns = 0
                val first = launch { repeat(5) { hop() } }
                val second = launch { repeat(5) { hop().also { turns++ } } }
                hop()
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
}
