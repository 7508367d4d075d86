package dev.carillon.coroutines

import dev.carillon.ClosedException
import dev.carillon.Signal
import dev.carillon.Signal.SIGCONT
import dev.carillon.Signal.SIGURG
import dev.carillon.Signal.SIGWINCH
import dev.carillon.SignalInfo
import dev.carillon.SignalSet
import dev.carillon.signal.SignalOptions
import dev.carillon.signal.SignalService
import dev.carillon.test.Seeded
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart.UNDISPATCHED
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertInstanceOf
import org.junit.jupiter.api.Test
import java.util.Collections
import java.util.SplittableRandom
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

// r[verify kt.broadcast]

/** Signals that each collector sees; such as do nothing by default. */
class BroadcastTest : LoopCase() {
    /** With room for whatever a busy machine leaves unread. */
    private val service by lazy {
        val options = SignalOptions.builder().pendingStandard(1_000_000).build()
        closeLater(SignalService.attach(loop, SignalSet.of(SIGURG, SIGWINCH, SIGCONT), options))
    }

    private fun inject(
        signal: Signal,
        number: Int,
    ) = service.inject(SignalInfo(signal, 0, number, 0, 0, 0, 0))

    private fun CoroutineScope.collect(
        into: MutableList<Int>,
        vararg signals: Signal,
        dispatcher: CoroutineDispatcher = loop.dispatcher,
    ): Job =
        launch(dispatcher, start = UNDISPATCHED) {
            service.broadcastSignals(*signals).collect { into += it.pid() }
        }

    @Test
    fun eachCollectorSeesEachSignalAndTheSharingOnesShareThem() =
        onLoop {
            val seen = List(3) { mutableListOf<Int>() }
            val collecting = seen.map { collect(it, SIGURG) }
            for (number in 0 until 20) inject(SIGURG, number)
            while (seen.any { it.size < 20 }) yield()
            seen.forEach { assertEquals((0 until 20).toList(), it) }
            collecting.forEach { it.cancelAndJoin() }

            val shared =
                List(2) {
                    async {
                        service
                            .signals(SIGURG)
                            .map { it.pid() }
                            .take(10)
                            .toList()
                    }
                }
            yield()
            for (number in 0 until 20) inject(SIGURG, number)
            assertEquals((0 until 20).toList(), shared.awaitAll().flatten().sorted())
        }

    @Test
    fun kindsComeByArrivalAndToThoseWhoWantThem() =
        onLoop {
            val both = mutableListOf<Int>()
            val one = mutableListOf<Int>()
            val collecting = listOf(collect(both, SIGURG, SIGWINCH), collect(one, SIGWINCH))
            val kinds = listOf(SIGURG, SIGURG, SIGWINCH, SIGURG, SIGWINCH, SIGWINCH, SIGURG)
            kinds.forEachIndexed { number, signal -> inject(signal, number) }
            while (both.size < kinds.size || one.size < 3) yield()
            assertEquals(kinds.indices.toList(), both)
            assertEquals(listOf(2, 4, 5), one)
            inject(SIGCONT, 9)
            assertEquals(9, service.awaitSignal(SIGCONT).pid(), "nobody collects it")
            collecting.forEach { it.cancelAndJoin() }
        }

    @Test
    fun whatNobodyWasGivenGoesBackToTheService() =
        onLoop {
            val works = CompletableDeferred<Unit>()
            val seen = mutableListOf<Int>()
            val collecting =
                List(2) {
                    launch(start = UNDISPATCHED) {
                        service.broadcastSignals(SIGURG).collect {
                            seen += it.pid()
                            works.await()
                        }
                    }
                }
            for (number in 0 until 5) inject(SIGURG, number)
            while (seen.size < 2) yield()
            collecting.forEach { it.cancelAndJoin() }
            assertEquals(listOf(0, 0), seen)
            val left =
                service
                    .signals(SIGURG)
                    .map { it.pid() }
                    .take(4)
                    .toList()
            assertEquals(listOf(1, 2, 3, 4), left)
        }

    @Test
    fun oneThatHasEnoughLeavesTheRestToTheOthers() =
        onLoop {
            val rest = mutableListOf<Int>()
            val first = async(start = UNDISPATCHED) { service.broadcastSignals(SIGURG).first() }
            val collecting = collect(rest, SIGURG)
            for (number in 0 until 3) inject(SIGURG, number)
            while (rest.size < 3) yield()
            assertEquals(0, first.await().pid())
            assertEquals(listOf(0, 1, 2), rest)
            collecting.cancelAndJoin()
        }

    @Test
    fun aSlowOneHoldsUpNobodyAndMissesNothing() =
        onLoop {
            val goOn = CompletableDeferred<Unit>()
            val fast = mutableListOf<Int>()
            val slow = mutableListOf<Int>()
            val collecting =
                listOf(
                    collect(fast, SIGURG),
                    launch(start = UNDISPATCHED) {
                        service.broadcastSignals(SIGURG).collect {
                            goOn.await()
                            slow += it.pid()
                        }
                    },
                )
            for (number in 0 until 50) inject(SIGURG, number)
            while (fast.size < 50) yield()
            goOn.complete(Unit)
            while (slow.size < 50) yield()
            assertEquals((0 until 50).toList(), slow)
            assertEquals(slow, fast)
            collecting.forEach { it.cancelAndJoin() }
        }

    @Test
    fun itEndsWithItsServiceAndRefusesWhatIsNotAttached() =
        within {
            val collecting = async(loop.dispatcher) { failureOf(SIGURG) }
            withContext(loop.dispatcher) { yield() }
            assertInstanceOf(IllegalStateException::class.java, failureOf(Signal.SIGHUP))
            service.close()
            assertInstanceOf(ClosedException::class.java, collecting.await())
            assertInstanceOf(ClosedException::class.java, failureOf(SIGURG))
        }

    private suspend fun failureOf(signal: Signal): Throwable? =
        runCatching { service.broadcastSignals(signal).collect { } }.exceptionOrNull()

    @Test
    fun whoStaysSeesAllWhoeverElseIsCancelled(
        @Seeded random: SplittableRandom,
    ) = within(60.seconds) {
        val rounds = if (isStress) 100_000 else 5_000
        val seen = Collections.synchronizedList(mutableListOf<Int>())
        val stays = collect(seen, SIGURG, dispatcher = Dispatchers.Default)
        withContext(Dispatchers.Default) {
            repeat(rounds) { round ->
                val others =
                    listOf(loop.dispatcher, Dispatchers.Default, Dispatchers.Unconfined).map { dispatcher ->
                        launch(dispatcher) { service.broadcastSignals(SIGURG, SIGWINCH).collect { } }
                    }
                inject(SIGURG, round)
                if (random.nextBoolean()) inject(SIGWINCH, round)
                val end = System.nanoTime() + random.nextInt(10_000)
                while (System.nanoTime() < end) Thread.onSpinWait()
                others.forEach { it.cancel(null) }
                others.forEach { it.join() }
                do {
                    val left = service.awaitSignalOrNull(SIGWINCH, Duration.ZERO)
                } while (left != null)
            }
        }
        inject(SIGURG, rounds)
        while (seen.lastOrNull() != rounds) yield()
        stays.cancelAndJoin()
        assertEquals((0..rounds).toList(), seen)
    }
}
