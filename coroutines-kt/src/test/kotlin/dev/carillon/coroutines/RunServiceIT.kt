package dev.carillon.coroutines

import dev.carillon.Signal.SIGTERM
import dev.carillon.Signal.SIGUSR1
import dev.carillon.test.ChildExit
import dev.carillon.test.ChildJvm
import dev.carillon.test.ChildProcess
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import java.time.Duration
import kotlin.system.exitProcess
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** The main of a service, as a process that gets signals. */
class RunServiceIT {
    // r[verify kt.service]
    @ParameterizedTest
    @CsvSource("TERM, 143", "INT, 130", "HUP, 129")
    fun aSignalCancelsTheCoroutinesThenTheHooksRunNewestFirst(
        signal: String,
        code: Int,
    ) {
        val exit = run("waits") { it.send(signal) }
        assertEquals(code, exit.code(), exit::toString)
        val told = exit.stdout().filter { it != "validated" }
        assertEquals(listOf("ready", "stop accepting"), told.take(2), exit::toString)
        assertEquals(setOf("service ends", "child ends"), told.drop(2).dropLast(2).toSet(), exit::toString)
        assertEquals(listOf("hook 2", "hook 1"), told.takeLast(2), exit::toString)
    }

    @ParameterizedTest
    @CsvSource("returns, 0", "throws, 1", "child fails, 1")
    fun withoutASignalTheExitCodeSaysHowItEnded(
        way: String,
        code: Int,
    ) {
        val exit = run(way) {}
        assertEquals(code, exit.code(), exit::toString)
        assertEquals(listOf("hook 2", "hook 1"), exit.stdout().takeLast(2), exit::toString)
        assertEquals(
            way != "returns",
            exit.stderr().any { it.contains("broken, as this test wants it") },
            exit::toString,
        )
    }

    @Test
    fun theServiceEndsWhenItsBlockAndItsChildrenHaveEnded() {
        val exit = run("returns before its child") {}
        assertEquals(0, exit.code(), exit::toString)
        assertEquals(listOf("child ends", "stop accepting", "hook 2", "hook 1"), exit.stdout(), exit::toString)
    }

    @Test
    fun anExitOfTheProcessInTheBlockWaitsForNoGrace() {
        val exit = run("exits") {}
        assertEquals(7, exit.code(), exit::toString)
        assertEquals(listOf("hook 2", "hook 1"), exit.stdout().takeLast(2), exit::toString)
    }

    @Test
    fun aNegativeGraceIsRefused() {
        val exit = run("has a negative grace") {}
        assertEquals(1, exit.code(), exit::toString)
        assertTrue(exit.stderr().any { it.contains("grace=-1s") }, exit::toString)
    }

    @Test
    fun coroutinesThatDoNotEndWithinTheGraceLeaveTheRestToTheHooks() {
        val exit = run("spins") { it.send("TERM") }
        assertEquals(143, exit.code(), exit::toString)
        assertTrue(exit.stdout().contains("hook 2"), exit::toString)
        assertTrue(exit.stderr().any { it.contains("did not end within 100ms") }, exit::toString)
    }

    @Test
    fun aSecondInterruptEndsItAtOnceWhileACoroutineSpins() {
        val exit =
            run("spins for hours") {
                it.send("INT")
                it.awaitLine("stop accepting", LIMIT)
                it.send("INT")
            }
        assertEquals(130, exit.code(), exit::toString)
    }

    @Test
    fun aWaitOfTheServiceForTheSameSignalGetsACopy() {
        val exit = run("awaits") { it.send("TERM") }
        assertEquals(143, exit.code(), exit::toString)
        assertTrue(exit.stdout().contains("got SIGTERM"), exit::toString)
    }

    @Test
    fun aHandlerIsCalledAndTheServiceGoesOn() {
        val exit =
            run("waits") {
                val sender = it.send("USR1")
                it.awaitLine("USR1 from $sender", LIMIT)
                it.send("TERM")
            }
        assertEquals(143, exit.code(), exit::toString)
    }

    private fun run(
        way: String,
        act: (ChildProcess) -> Unit,
    ): ChildExit =
        ChildJvm.of(Service::class.java).args(way).start().use { child ->
            if (way !in ENDS_BY_ITSELF) child.awaitLine("ready", LIMIT)
            act(child)
            child.awaitExit(LIMIT)
        }

    internal object Service {
        @JvmStatic
        fun main(args: Array<String>) {
            val grace =
                when (args[0]) {
                    "spins" -> 100.milliseconds
                    "waits" -> 60.seconds
                    "has a negative grace" -> (-1).seconds
                    else -> 1.hours
                }
            runService(grace, { timeout(Duration.ofHours(2)).doubleTapWindow(Duration.ofHours(1)) }) { serve(args[0]) }
        }

        private suspend fun ServiceScope.serve(way: String) {
            onShutdown("1") { println("hook 1") }
            onShutdown("2") { println("hook 2") }
            onStopAccepting("3") { println("stop accepting") }
            onReload("configuration") { println("validated") }
            handle(SIGUSR1) { println("USR1 from ${it.pid()}") }
            when (way) {
                "returns", "has a negative grace" -> {
                    return
                }

                "throws" -> {
                    error("broken, as this test wants it")
                }

                "child fails" -> {
                    launch { error("broken, as this test wants it") }
                    awaitCancellation()
                }

                "returns before its child" -> {
                    launch {
                        delay(200.milliseconds)
                        println("child ends")
                    }
                }

                "exits" -> {
                    exitProcess(7)
                }

                "awaits" -> {
                    launch { println("got ${awaitSignal(SIGTERM).signal()}") }.let { waits(null) }
                }

                "waits" -> {
                    waits("child ends")
                }

                else -> {
                    println("ready")
                    while (true) Thread.onSpinWait()
                }
            }
        }

        private suspend fun ServiceScope.waits(word: String?) {
            launch {
                try {
                    awaitCancellation()
                } finally {
                    if (word != null) println(word)
                }
            }
            if (word == null) prepareSignals(SIGTERM)
            println("ready")
            try {
                awaitCancellation()
            } finally {
                if (word != null) println("service ends")
            }
        }
    }

    private companion object {
        val LIMIT: Duration = Duration.ofSeconds(60)
        val ENDS_BY_ITSELF =
            setOf("returns", "returns before its child", "throws", "child fails", "exits", "has a negative grace")
    }
}
