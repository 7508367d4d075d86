package dev.carillon.coroutines

import dev.carillon.loop.EventLoop
import dev.carillon.loop.EventLoopOptions
import dev.carillon.test.Seeded
import dev.carillon.test.TestLoop
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Assertions.fail
import org.junit.jupiter.api.Test
import java.util.SplittableRandom
import java.util.concurrent.atomic.AtomicLong
import kotlin.time.Duration
import kotlin.time.Duration.Companion.days
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.toJavaDuration

/** Time on a loop's own timers. */
class DelayTest : LoopCase() {
    // r[verify kt.dispatcher]
    @Test
    fun noDelayIsEverEarly(
        @Seeded random: SplittableRandom,
    ) = onLoop {
        coroutineScope {
            repeat(2_000) {
                val wanted = random.nextLong(50_000_000).nanoseconds
                launch { assertNotEarly(wanted) { delay(wanted) } }
            }
        }
    }

    @Test
    fun noTimeoutIsEverEarly(
        @Seeded random: SplittableRandom,
    ) = onLoop {
        coroutineScope {
            repeat(2_000) {
                val wanted = 1 + random.nextLong(50)
                launch { assertNotEarly(wanted.milliseconds) { withTimeoutOrNull(wanted) { awaitCancellation() } } }
            }
        }
    }

    private suspend fun assertNotEarly(
        wanted: Duration,
        wait: suspend () -> Unit,
    ) {
        val before = System.nanoTime()
        wait()
        val took = (System.nanoTime() - before).nanoseconds
        assertTrue(took >= wanted) { "$took instead of $wanted" }
    }

    @Test
    fun delaysAndTimeoutsAreTimersOfTheLoopAndCreateNoThread() =
        withoutNudges {
            withContext(loop.dispatcher) {
                val before = threads()
                val timers = loop.stats().timers()
                coroutineScope {
                    repeat(100) {
                        launch { delay(5) }
                        launch { withTimeoutOrNull(5) { awaitCancellation() } }
                        launch { loop.sleep(5.milliseconds) }
                    }
                    yield()
                    // There may be more, of withTimeout; on a busy machine some are over already.
                    val set = loop.stats().run { pendingTimers() + timers() - timers }
                    assertTrue(set >= 300) { "$set: ${loop.stats()}" }
                    assertEquals(emptyList<String>(), threadsSince(before), "while they wait")
                }
                assertTrue(loop.stats().timers() - timers >= 300) { "${loop.stats()}" }
                assertEquals(emptyList<String>(), threadsSince(before), "when they are over")
            }
        }

    /**
     * Without those that the VM itself starts when it likes, and workers of the common pool, which may come with the last
     * nudge of another test; others may end meanwhile, which is their own business.
     */
    private fun threadsSince(before: Set<Thread>): List<String> =
        (threads() - before).map { it.name }.filter { name -> NOT_OURS.none { it in name } }

    private fun threads(): Set<Thread> = Thread.getAllStackTraces().keys.toSet()

    /** On a clock that stands still while they begin. */
    @Test
    fun delaysEndInTheOrderOfTheirTime() {
        TestLoop.open().use { test ->
            val seen = mutableListOf<Int>()
            val scope = CoroutineScope(test.loop().dispatcher)
            for (time in listOf(30, 10, 20, 10, 0, 1)) {
                scope.launch {
                    delay(time.toLong())
                    seen += time
                }
            }
            test.advanceBy(30.milliseconds.toJavaDuration())
            assertEquals(listOf(0, 1, 10, 10, 20, 30), seen)
        }
    }

    /** On a clock that the test moves. */
    @Test
    fun aSleepIsNotRoundedToMilliseconds() {
        val clock = AtomicLong()
        val options = EventLoopOptions.builder().clock(clock::get).build()
        EventLoop.open(options).use { manual ->
            val sleeping = CoroutineScope(manual.dispatcher).launch { manual.sleep(100_001.nanoseconds) }
            manual.runUntilEmpty()
            clock.set(100_000)
            manual.runUntilEmpty()
            assertFalse(sleeping.isCompleted, "early")
            clock.set(100_001)
            manual.runUntilEmpty()
            assertTrue(sleeping.isCompleted, "rounded")
        }
    }

    @Test
    fun aSleepServesCoroutinesOfAnyDispatcher() =
        within {
            assertNotEarly(2.milliseconds) { loop.sleep(2.milliseconds) }
            withContext(Dispatchers.Default) { assertNotEarly(3.milliseconds) { loop.sleep(3.milliseconds) } }
            withContext(started("other").dispatcher) { assertNotEarly(3.milliseconds) { loop.sleep(3.milliseconds) } }
        }

    @Test
    fun noTimeAtAllComesBackAtOnce() =
        onLoop {
            val timers = loop.stats().timers()
            loop.sleep(Duration.ZERO)
            loop.sleep((-1).hours)
            delay(0)
            delay(-1)
            assertEquals(timers, loop.stats().timers())
        }

    @Test
    fun aTimeoutEndsWhatItSurrounds() =
        onLoop {
            assertNull(withTimeoutOrNull(1) { loop.sleep(1.hours) })
            assertNull(withTimeoutOrNull(1) { delay(Duration.INFINITE) })
            try {
                withTimeout(1) { delay(1.days) }
                fail<Unit>("it did not time out")
            } catch (late: TimeoutCancellationException) {
                assertTrue(loop.inLoop(), late.toString())
            }
        }

    @Test
    fun waitsThatAreCancelledLeaveNoTimerBehind() =
        onLoop {
            val waits =
                listOf(
                    launch { delay(1.hours) },
                    launch { loop.sleep(1.hours) },
                    launch { loop.sleep(Duration.INFINITE) },
                    launch { withTimeout(1.hours) { awaitCancellation() } },
                )
            delay(1)
            waits.forEach {
                it.cancel(null)
                it.join()
            }
            repeat(2_000) { withTimeout(1.hours) { delay(0) } }
            repeat(2_000) { launch(start = CoroutineStart.UNDISPATCHED) { loop.sleep(1.hours) }.cancelAndJoin() }
            repeat(2_000) { launch(start = CoroutineStart.UNDISPATCHED) { delay(1.hours) }.cancelAndJoin() }
            assertTrue(loop.stats().pendingTimers() < 1_500) { "pendingTimers=${loop.stats().pendingTimers()}" }
        }

    private companion object {
        private val NOT_OURS = listOf("Compiler", "Attach", "ForkJoinPool.commonPool")
    }
}
