package dev.carillon.coroutines

import dev.carillon.test.TestLoop
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.withTimeoutOrNull
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.minutes
import kotlin.time.toJavaDuration

/** Coroutines on a loop whose clock the test moves. */
class TestLoopTest {
    @Test
    fun delaysAndTimeoutsGoByTheClockOfTheTest() {
        TestLoop.open().use { test ->
            val said = mutableListOf<String>()
            val job: Job =
                CoroutineScope(test.loop().dispatcher).launch {
                    delay(1.hours)
                    said += "an hour is over"
                    withTimeoutOrNull(5.minutes) { delay(1.hours) } ?: said.add("five minutes are over")
                }
            test.advanceBy(59.minutes.toJavaDuration())
            assertEquals(emptyList<String>(), said)
            test.advanceBy(1.minutes.toJavaDuration())
            assertEquals(listOf("an hour is over"), said)
            test.advanceBy(5.minutes.toJavaDuration())
            assertEquals(listOf("an hour is over", "five minutes are over"), said)
            assertTrue(job.isCompleted)
        }
    }
}
