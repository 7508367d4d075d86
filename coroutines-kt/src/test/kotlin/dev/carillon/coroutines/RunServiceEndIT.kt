package dev.carillon.coroutines

import dev.carillon.test.ChildExit
import dev.carillon.test.ChildJvm
import dev.carillon.test.ChildProcess
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancel
import kotlinx.coroutines.delay
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import org.junit.jupiter.params.provider.ValueSource
import java.time.Duration
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds

/** A service whose block ends in a way of its own: by a cancellation that no signal has caused, or without its lifecycle. */
class RunServiceEndIT {
    // r[verify kt.service]
    @ParameterizedTest
    @CsvSource(
        "times out, Timed out waiting for 10 ms",
        "throws a cancellation, broken as this test wants it",
        "cancels itself, broken as this test wants it",
    )
    fun aCancellationThatNoShutdownHasCausedIsAFailureOfTheBlock(
        way: String,
        message: String,
    ) {
        val exit = run(way) {}
        assertEquals(1, exit.code(), exit::toString)
        assertTrue(exit.stderr().any { it.contains(message) }, exit::toString)
        assertEquals(listOf("hook"), exit.stdout() - MAIN, exit::toString)
    }

    @Test
    fun aCancellationInAShutdownLeavesItsCode() {
        val exit = run("times out in the shutdown") { it.send("TERM") }
        assertEquals(143, exit.code(), exit::toString)
        assertEquals(listOf("ready", "hook"), exit.stdout() - MAIN, exit::toString)
        assertEquals(listOf<String>(), exit.stderr(), exit::toString)
    }

    @Test
    fun aServiceThatClosesItsLifecycleEndsWithItsBlock() {
        val exit = run("closes its lifecycle") {}
        assertEquals(0, exit.code(), exit::toString)
        assertEquals(listOf("closed", "block ends", MAIN), exit.stdout(), exit::toString)
        assertEquals(listOf<String>(), exit.stderr(), exit::toString)
    }

    @ParameterizedTest
    @ValueSource(strings = ["closes its lifecycle and throws", "closes its lifecycle and times out"])
    fun aServiceThatClosesItsLifecycleFailsWithItsBlock(way: String) {
        val exit = run(way) {}
        assertEquals(1, exit.code(), exit::toString)
        assertEquals(listOf("closed"), exit.stdout(), exit::toString)
        assertTrue(exit.stderr().any { it.contains("Exception in thread \"main\"") }, exit::toString)
        assertTrue(exit.stderr().none { it.contains("needs an active lifecycle") }, exit::toString)
    }

    @Test
    fun aServiceThatClosesItsLifecycleEndsByASignalAsAnyProcess() {
        val exit = run("closes its lifecycle and waits") { it.send("TERM") }
        assertEquals(143, exit.code(), exit::toString)
        assertEquals(listOf("closed", "ready"), exit.stdout(), exit::toString)
        assertEquals(listOf<String>(), exit.stderr(), exit::toString)
    }

    private fun run(
        way: String,
        act: (ChildProcess) -> Unit,
    ): ChildExit =
        ChildJvm.of(Service::class.java).args(way).start().use { child ->
            if (way in WAITS) child.awaitLine("ready", LIMIT)
            act(child)
            child.awaitExit(LIMIT)
        }

    internal object Service {
        @JvmStatic
        fun main(args: Array<String>) {
            runService(1.hours, { timeout(Duration.ofHours(2)) }) { serve(args[0]) }
            println(MAIN)
        }

        private suspend fun ServiceScope.serve(way: String) {
            onShutdown("hook") { println("hook") }
            if (way.startsWith("closes its lifecycle")) {
                lifecycle.close()
                println("closed")
            }
            when (way) {
                "closes its lifecycle" -> {
                    delay(1.milliseconds)
                    println("block ends")
                }

                "times out", "closes its lifecycle and times out" -> {
                    withTimeout(10.milliseconds) { awaitCancellation() }
                }

                "throws a cancellation" -> {
                    throw CancellationException(MESSAGE)
                }

                "cancels itself" -> {
                    cancel(MESSAGE)
                    awaitCancellation()
                }

                "closes its lifecycle and throws" -> {
                    error(MESSAGE)
                }

                "times out in the shutdown" -> {
                    println("ready")
                    try {
                        awaitCancellation()
                    } finally {
                        withContext(NonCancellable) { withTimeout(1.milliseconds) { awaitCancellation() } }
                    }
                }

                else -> {
                    println("ready")
                    awaitCancellation()
                }
            }
        }
    }

    private companion object {
        val LIMIT: Duration = Duration.ofSeconds(60)

        /** It is told beside the shutdown, where there is one: before the hooks, or after them. */
        const val MAIN = "main goes on"
        const val MESSAGE = "broken as this test wants it"
        val WAITS = setOf("times out in the shutdown", "closes its lifecycle and waits")
    }
}
