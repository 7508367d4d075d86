package dev.carillon.coroutines

import dev.carillon.ClosedException
import dev.carillon.Signal
import dev.carillon.Signal.SIGCONT
import dev.carillon.Signal.SIGURG
import dev.carillon.Signal.SIGWINCH
import dev.carillon.SignalInfo
import dev.carillon.SignalSet
import dev.carillon.loop.EventLoop
import dev.carillon.signal.SignalOptions
import dev.carillon.signal.SignalService
import dev.carillon.signal.Signals
import dev.carillon.test.Seeded
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.util.SplittableRandom
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.random.Random
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

// r[verify kt.await-signal]

/** The signals are such as do nothing by default, so that a test that goes wrong does not end the test runner. */
class SignalsTest : LoopCase() {
    private val ourPid = ProcessHandle.current().pid().toInt()
    private val service by lazy {
        closeLater(SignalService.attach(loop, SignalSet.of(SIGURG, SIGWINCH, SIGCONT)))
    }

    private fun inject(
        signal: Signal,
        pid: Int,
    ) = service.inject(SignalInfo(signal, 0, pid, 0, 0, 0, 0))

    @Test
    fun aRealSignalComesWithItsSenderOnTheLoopThread() =
        onLoop {
            val waiting = async { service.awaitSignal(SIGURG) }
            yield()
            Signals.send(ourPid, SIGURG)
            val info = waiting.await()
            assertEquals(SIGURG, info.signal())
            assertTrue(info.pid() == ourPid || service.capture().name == "JVM", info::toString)
            assertTrue(loop.inLoop())
        }

    @Test
    fun onAnotherDispatcherItGoesOnThere() =
        within {
            inject(SIGURG, 1)
            withContext(Dispatchers.Default) {
                assertEquals(1, service.awaitSignal(SIGURG).pid())
                assertNull(EventLoop.currentOrNull())
            }
        }

    @Test
    fun aSignalThatCameBeforeIsThereAtOnce() =
        onLoop {
            inject(SIGURG, 1)
            val waiting = async(start = CoroutineStart.UNDISPATCHED) { service.awaitSignal(SIGURG) }
            assertTrue(waiting.isCompleted)
            assertEquals(1, waiting.await().pid())
        }

    @Test
    fun whoBeganFirstGetsTheFirst() =
        onLoop {
            val got = mutableListOf<String>()
            for (name in listOf("a", "b", "c")) {
                launch(start = CoroutineStart.UNDISPATCHED) { got += name + service.awaitSignal(SIGURG).pid() }
            }
            for (pid in 1..3) inject(SIGURG, pid)
            while (got.size < 3) yield()
            assertEquals(listOf("a1", "b2", "c3"), got)
        }

    @Test
    fun whatACancelledOneWouldHaveGotGoesToTheNext() =
        onLoop {
            val first = launch(start = CoroutineStart.UNDISPATCHED) { service.awaitSignal(SIGURG) }
            val second = async(start = CoroutineStart.UNDISPATCHED) { service.awaitSignal(SIGURG) }
            inject(SIGURG, 1)
            first.cancelAndJoin()
            assertEquals(1, second.await().pid())
        }

    @Test
    fun anyOfThemTakesTheOldestAndLeavesTheOthers() =
        onLoop {
            inject(SIGWINCH, 1)
            inject(SIGURG, 2)
            assertEquals(1, service.awaitAnySignal(SIGURG, SIGWINCH).pid())
            assertNull(service.tryPopPending(SIGWINCH))
            assertEquals(2, service.awaitSignal(SIGURG).pid())
        }

    @Test
    fun timeRunsOutOrItComes() =
        onLoop {
            assertNull(service.awaitSignalOrNull(SIGURG, Duration.ZERO))
            assertNull(service.awaitSignalOrNull(SIGURG, 5.milliseconds))
            inject(SIGURG, 1)
            assertEquals(1, service.awaitSignalOrNull(SIGURG, Duration.INFINITE)?.pid())
        }

    @Test
    fun aFlowLosesNothingBetweenItsItems() =
        onLoop {
            val all = async { service.signals(SIGURG, SIGWINCH).take(60).toList() }
            repeat(60) {
                inject(if (it % 2 == 0) SIGURG else SIGWINCH, it)
                if (it % 7 == 0) yield()
            }
            assertEquals((0 until 60).toList(), all.await().map { it.pid() })
        }

    @Test
    fun aFlowOfManyPendingSignalsUsesNoStack() {
        val many = 100_000
        val options = SignalOptions.builder().pendingStandard(many).build()
        val full = closeLater(SignalService.attach(loop, SignalSet.of(SIGURG), options))
        for (dispatcher in listOf(loop.dispatcher, loop.dispatcher.immediate, Dispatchers.Unconfined)) {
            onLoop {
                repeat(many) { full.inject(SignalInfo(SIGURG, 0, it, 0, 0, 0, 0)) }
                val numbers =
                    withContext(dispatcher) {
                        full
                            .signals(SIGURG)
                            .take(many)
                            .map { it.pid() }
                            .toList()
                    }
                assertEquals((0 until many).toList(), numbers)
            }
        }
        assertEquals(0, full.stats().pending())
    }

    // r[verify kt.context]
    @Test
    fun theServiceOfTheContextIsUsed() =
        onLoop {
            inject(SIGURG, 7)
            withContext(SignalElement(service)) {
                assertSame(service, currentSignals())
                assertEquals(7, awaitSignal(SIGURG).pid())
            }
        }

    @Test
    fun aLoopMakesItsOwnServiceAndEndsItsWaits() =
        within {
            val other = started("other-loop")
            SignalService.on(other).prepare(SignalSet.of(SIGWINCH)).await()
            val got = async(start = CoroutineStart.UNDISPATCHED) { other.awaitSignal(SIGWINCH) }
            Signals.send(ourPid, SIGWINCH)
            assertEquals(SIGWINCH, got.await().signal())
            val failed = async(start = CoroutineStart.UNDISPATCHED) { runCatching { other.awaitSignal(SIGWINCH) } }
            other.close()
            assertTrue(failed.await().exceptionOrNull() is ClosedException)
        }

    // r[verify signal.implicit]
    @Test
    fun aBusyLoopHoldsUpNobodyWhoWaitsForItsSignals() =
        within {
            val other = started("busy-loop")
            val isOver = AtomicBoolean()
            other.execute { while (!isOver.get()) Thread.onSpinWait() }
            // The loop goes on only afterwards, so that a wait that waits for it ends in an error.
            assertNull(withTimeoutOrNull(500) { other.awaitSignal(SIGWINCH) })
            assertNull(withTimeoutOrNull(500) { other.signals(SIGWINCH).first() })
            isOver.set(true)
            assertEquals(SignalSet.empty(), SignalService.attachedOn(other))
        }

    // r[verify signal.implicit]
    @Test
    fun theServiceThatWasAttachedToTheLoopIsFoundOnItsDispatcher() =
        onLoop {
            for (pid in 1..4) inject(SIGURG, pid)
            assertEquals(1, awaitSignal(SIGURG).pid())
            assertEquals(2, loop.awaitAnySignal(SIGURG, SIGWINCH).pid())
            assertEquals(3, signals(SIGURG).first().pid())
            prepareSignals(SIGURG)
            assertEquals(4, awaitSignalOrNull(SIGURG, Duration.ZERO)?.pid())
        }

    @Test
    fun whatIsNotAttachedIsRefusedWithAdvice() =
        onLoop {
            val failure = runCatching { service.awaitSignal(Signal.SIGHUP) }.exceptionOrNull()
            assertTrue(failure is IllegalStateException && "SignalService.attach" in failure.message!!, "$failure")
        }

    @Test
    fun cancellationsAtAnyMomentLoseNoSignal() {
        val seed = System.getProperty("carillon.seed")?.toLong() ?: System.nanoTime()
        println("seed=$seed")
        val random = Random(seed)
        val rounds = if (isStress) 200_000 else 20_000
        within(120.seconds) {
            var taken = 0
            withContext(Dispatchers.Default) {
                repeat(rounds) { round ->
                    var got: SignalInfo? = null
                    val waiting = launch { got = service.awaitSignal(SIGURG) }
                    if (random.nextBoolean()) yield()
                    inject(SIGURG, round)
                    repeat(random.nextInt(3)) { yield() }
                    waiting.cancelAndJoin()
                    if (got != null) taken++
                    assertEquals(round, (got ?: service.awaitSignal(SIGURG)).pid())
                }
            }
            println("taken in time: $taken of $rounds")
            assertEquals(0, service.stats().pending())
        }
    }

    @Test
    fun aCollectorThatIsCancelledAtAnyMomentLosesNoSignal(
        @Seeded random: SplittableRandom,
    ) = within(120.seconds) {
        val rounds = if (isStress) 100_000 else 10_000
        var seen = 0
        var inTime = 0
        withContext(Dispatchers.Default) {
            repeat(rounds) { round ->
                val collecting =
                    launch {
                        service.signals(SIGURG).collect {
                            assertEquals(seen++, it.pid())
                            inTime++
                        }
                    }
                if (random.nextBoolean()) yield()
                inject(SIGURG, round)
                val end = System.nanoTime() + random.nextInt(20_000)
                while (System.nanoTime() < end) Thread.onSpinWait()
                collecting.cancelAndJoin()
                while (seen <= round) assertEquals(seen++, service.awaitSignal(SIGURG).pid())
            }
        }
        assertTrue(inTime in 1 until rounds) { "inTime=$inTime of $rounds: no races" }
        assertEquals(0, service.stats().pending())
    }
}
