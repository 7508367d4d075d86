package dev.carillon.coroutines

import dev.carillon.ClosedException
import dev.carillon.loop.EventLoop
import dev.carillon.loop.EventLoopOptions
import dev.carillon.loop.MissedTicks
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withContext
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.util.concurrent.atomic.AtomicLong
import kotlin.time.Duration
import kotlin.time.Duration.Companion.days
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.microseconds
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds

/** A flow of ticks, on a clock that the test moves where time decides. */
class TicksTest : LoopCase() {
    private val clock = AtomicLong()

    private fun onTestClock(): EventLoop =
        closeLater(EventLoop.open(EventLoopOptions.builder().clock(clock::get).build()))

    /** Collects with a first piece of work that takes 25, and says when each tick came and what was missed. */
    private fun collected(
        rule: MissedTicks,
        vararg times: Long,
    ): List<String> {
        val loop = onTestClock()
        val seen = mutableListOf<String>()
        val start = clock.get()
        val job =
            CoroutineScope(loop.dispatcher).launch {
                loop.ticks(10.microseconds, rule).collect { tick ->
                    seen += "${tick.number}@${(clock.get() - start) / 1_000}-${tick.missed}"
                    if (tick.number == 0L) {
                        clock.addAndGet(25_000)
                    }
                }
            }
        loop.runUntilEmpty()
        for (time in times) {
            clock.set(start + time * 1_000)
            loop.runUntilEmpty()
        }
        job.cancel()
        loop.runUntilEmpty()
        assertTrue(job.isCompleted)
        assertEquals(0L, loop.stats().pendingTimers())
        return seen
    }

    // r[verify kt.ticks]
    @Test
    fun aSlowCollectorMissesTicksByTheRule() {
        assertEquals(
            listOf("0@10-0", "1@40-2", "2@77-2", "3@80-0"),
            collected(MissedTicks.SKIP, 10, 39, 40, 77, 79, 80),
        )
        assertEquals(listOf("0@10-0", "1@35-1", "2@35-0", "3@40-0"), collected(MissedTicks.CATCH_UP, 10, 39, 40))
        assertEquals(listOf("0@12-0", "1@99-0", "2@109-0"), collected(MissedTicks.DELAY, 12, 46, 99, 108, 109))
    }

    // r[verify kt.ticks]
    @Test
    fun ticksAreNeverEarlyOnAnyDispatcher() =
        within {
            for (dispatcher in listOf(loop.dispatcher, Dispatchers.Default)) {
                withContext(dispatcher) {
                    val begun = System.nanoTime()
                    var due = begun
                    loop.ticks(200.microseconds, MissedTicks.CATCH_UP).take(50).collect {
                        due += 200_000
                        assertTrue(System.nanoTime() >= due)
                    }
                }
            }
        }

    // r[verify kt.ticks]
    @Test
    fun aCollectionCanBeCancelledAndEachHasItsOwnTicks() =
        onLoop {
            val job = launch { loop.ticks(1.hours).collect {} }
            loop.sleep(1.milliseconds)
            job.cancelAndJoin()
            assertEquals(
                2,
                loop
                    .ticks(10.microseconds, first = Duration.ZERO)
                    .take(2)
                    .toList()
                    .size,
            )
            assertEquals(0L, loop.ticks(1.days, first = (-1).days).first().number)
        }

    // r[verify kt.ticks]
    @Test
    fun periodsThatMakeNoSenseAreRefused() {
        for (period in listOf(Duration.ZERO, (-1).hours, 999.nanoseconds, Duration.INFINITE, -Duration.INFINITE)) {
            assertThrows(IllegalArgumentException::class.java) { loop.ticks(period) }
        }
    }

    @Test
    fun ticksCanBeTakenAsAnyFlow() =
        onLoop {
            // region ticks
            loop.ticks(1.milliseconds, MissedTicks.SKIP).take(3).collect { tick ->
                println("tick ${tick.number}, ${tick.missed} missed")
            }
            // endregion
        }

    @Test
    fun theEndOfTheLoopEndsTheTicks() =
        within {
            val other = started("other")
            supervisorScope {
                val ticking = async(Dispatchers.Default) { other.ticks(1.hours).collect {} }
                while (other.stats().pendingTimers() == 0L) {
                    loop.sleep(1.milliseconds)
                }
                other.close()
                val failure = runCatching { ticking.await() }.exceptionOrNull()
                assertTrue(failure is ClosedException) { "$failure" }
            }
        }

    @Test
    fun longWaitsDoNotOverflow() {
        clock.set(Long.MAX_VALUE - 5_000)
        val loop = onTestClock()
        var count = 0
        val job: Job =
            CoroutineScope(loop.dispatcher).launch {
                loop.ticks((200 * 365).days, MissedTicks.CATCH_UP, Duration.ZERO).collect { count++ }
                awaitCancellation()
            }
        loop.runUntilEmpty()
        assertEquals(1, count)
        job.cancel()
        loop.runUntilEmpty()
    }
}
