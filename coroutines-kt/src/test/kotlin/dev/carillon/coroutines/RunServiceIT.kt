package dev.carillon.coroutines

import dev.carillon.Signal.SIGTERM
import dev.carillon.Signal.SIGUSR1
import dev.carillon.Signal.SIGUSR2
import dev.carillon.loop.EventLoop
import dev.carillon.test.ChildExit
import dev.carillon.test.ChildJvm
import dev.carillon.test.ChildProcess
import dev.carillon.test.Programs
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import org.junit.jupiter.params.provider.ValueSource
import java.time.Duration
import java.util.regex.Pattern
import kotlin.system.exitProcess
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** The main of a service, as a process that gets signals. */
class RunServiceIT {
    // r[verify kt.service] r[verify life.cancellation]
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

    @ParameterizedTest
    @CsvSource(
        "leaves, 9",
        "exits in a handler, 8",
        "exits off the loop, 6",
        "exits within its block off the loop, 5",
        "exits on another loop, 4",
    )
    fun anExitFromAnywhereRunsTheHooksAndWaitsForNoOneForEver(
        way: String,
        code: Int,
    ) {
        val exit = run(way) { if (way == "exits in a handler") it.send("USR2") }
        assertEquals(code, exit.code(), exit::toString)
        assertEquals(listOf("hook 2", "hook 1"), exit.stdout().takeLast(2), exit::toString)
    }

    @ParameterizedTest
    @CsvSource("exits beside one that cleans up, 6", "exits in a handler beside one that cleans up, 8")
    fun anExitOffTheLoopLeavesOtherCoroutinesTheirGrace(
        way: String,
        code: Int,
    ) {
        val exit = run(way) { if (way.contains("handler")) it.send("USR2") }
        assertEquals(code, exit.code(), exit::toString)
        assertEquals(listOf("cleaned up", "hook 2", "hook 1"), exit.stdout().takeLast(3), exit::toString)
    }

    @ParameterizedTest
    @ValueSource(strings = ["closes its loop", "closes its loop while it sleeps"])
    fun whoClosesTheLoopOfTheServiceIsToldWhyItEnds(way: String) {
        val exit = run(way) {}
        assertEquals(1, exit.code(), exit::toString)
        assertTrue(exit.stderr().any { it.contains("the loop of the service was closed") }, exit::toString)
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
        // A close of the loop would wait for the spinning callback, and then say that it does not return.
        assertTrue(exit.stderr().none { it.contains("loop of the service") }, exit::toString)
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

    // r[verify life.own-loop]
    @Test
    fun aSecondCtrlCAtATerminalEndsItWhileCoroutinesSpinOnAllLoops() {
        Programs.need("script")
        val figures = mutableListOf<String>()
        val isPrompt =
            (1..ATTEMPTS).any {
                val (hint, end) = ctrlCTwice()
                figures += "the hint after ${hint.toMillis()} ms, the end after ${end.toMillis()} ms"
                end < hint.multipliedBy(PROMPT)
            }
        println("Ctrl+C twice while four loops spin: $figures")
        assertTrue(isPrompt, figures::toString)
    }

    private fun ctrlCTwice(): Pair<Duration, Duration> =
        ChildJvm.of(Service::class.java).args("spins on all loops").atTerminal().start().use { child ->
            child.awaitLine("ready", LIMIT)
            val first = System.nanoTime()
            child.writeLine(CTRL_C)
            child.awaitLine(HINT, LIMIT)
            val hint = Duration.ofNanos(System.nanoTime() - first)
            child.awaitLine(Pattern.compile("stop accepting"), LIMIT)
            val second = System.nanoTime()
            child.writeLine(CTRL_C)
            val exit = child.awaitExit(LIMIT)
            assertEquals(130, exit.code(), exit::toString)
            hint to Duration.ofNanos(System.nanoTime() - second)
        }

    // r[verify signal.lend]
    @ParameterizedTest
    @ValueSource(strings = ["awaits", "collects"])
    fun aWaitAndAFlowOfTheServiceForTheSameSignalGetACopy(way: String) {
        val exit = run(way) { it.send("TERM") }
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
            handle(SIGUSR2) { exitProcess(8) }
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

                "exits off the loop" -> {
                    launch(Dispatchers.Default) { exitProcess(6) }
                }

                "exits within its block off the loop" -> {
                    withContext(Dispatchers.IO) { exitProcess(5) }
                }

                "exits on another loop" -> {
                    launch(EventLoop.open().start().dispatcher) { delay(1.milliseconds).let { exitProcess(4) } }
                }

                "exits beside one that cleans up" -> {
                    cleansUp()
                    launch(Dispatchers.Default) { exitProcess(6) }
                }

                "exits in a handler beside one that cleans up" -> {
                    cleansUp()
                    println("ready")
                }

                "closes its loop" -> {
                    loop.close()
                    awaitCancellation()
                }

                "closes its loop while it sleeps" -> {
                    launch(Dispatchers.IO) { loop.close() }
                    delay(1.hours)
                }

                "leaves" -> {
                    lifecycle.exit(9)
                    awaitCancellation()
                }

                "awaits" -> {
                    val got = heldUpUntil()
                    launch(start = CoroutineStart.UNDISPATCHED) {
                        println("got ${awaitSignal(SIGTERM).signal()}")
                        got.complete(Unit)
                    }
                    waits(null)
                }

                "collects" -> {
                    val got = heldUpUntil()
                    launch(start = CoroutineStart.UNDISPATCHED) {
                        signals(SIGTERM).collect {
                            println("got ${it.signal()}")
                            got.complete(Unit)
                        }
                    }
                    waits(null)
                }

                "waits", "exits in a handler" -> {
                    waits("child ends")
                }

                "spins on all loops" -> {
                    repeat(2) { launch(EventLoop.open().start().dispatcher) { while (true) Thread.onSpinWait() } }
                    launch(EventLoop.shared().dispatcher) { while (true) Thread.onSpinWait() }
                    println("ready")
                    while (true) Thread.onSpinWait()
                }

                else -> {
                    println("ready")
                    while (true) Thread.onSpinWait()
                }
            }
        }

        /** Longer than anyone needs to see who calls exit. */
        private fun ServiceScope.cleansUp() =
            launch(start = CoroutineStart.UNDISPATCHED) {
                try {
                    awaitCancellation()
                } finally {
                    withContext(NonCancellable) { delay(1.seconds) }
                    println("cleaned up")
                }
            }

        /** The shutdown cancels coroutines when this is completed: the copy has a way of its own, which may be longer. */
        private fun ServiceScope.heldUpUntil(): CompletableDeferred<Unit> =
            CompletableDeferred<Unit>().also { got -> onStopAccepting("the copy") { got.await() } }

        private suspend fun ServiceScope.waits(word: String?) {
            // One that is cancelled before it has begun says nothing.
            launch(start = CoroutineStart.UNDISPATCHED) {
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
        const val CTRL_C = "\u0003"
        val HINT: Pattern = Pattern.compile("Press Ctrl\\+C again")
        const val ATTEMPTS = 3

        /** How many times as long as the hint of the same process, at most: it comes past the loops of the service, too. */
        const val PROMPT = 20L
        val ENDS_BY_ITSELF =
            setOf(
                "returns",
                "returns before its child",
                "throws",
                "child fails",
                "exits",
                "exits off the loop",
                "exits within its block off the loop",
                "exits on another loop",
                "exits beside one that cleans up",
                "closes its loop",
                "closes its loop while it sleeps",
                "leaves",
                "has a negative grace",
            )
    }
}
