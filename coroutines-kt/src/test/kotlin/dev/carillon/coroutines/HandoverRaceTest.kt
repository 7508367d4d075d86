package dev.carillon.coroutines

import dev.carillon.AbstractSocketAddress
import dev.carillon.Signal.SIGURG
import dev.carillon.SignalInfo
import dev.carillon.SignalSet
import dev.carillon.io.ServerSocket
import dev.carillon.shm.SendResult
import dev.carillon.shm.doorbell.Doorbell
import dev.carillon.signal.SignalService
import dev.carillon.test.Seeded
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.time.Duration
import java.util.SplittableRandom
import kotlin.time.Duration.Companion.minutes

// r[verify kt.hand-over]

/**
 * Something comes, a coroutine waits for it, and another thread cancels that, with nothing in between: what arrived is what
 * was returned and what is still there.
 */
class HandoverRaceTest : LoopCase() {
    /** What is handed over. */
    private abstract inner class Ware(
        /** So many may be there at once. */
        val most: Int,
    ) {
        abstract suspend fun give()

        /** Waits for one, and has it when it returns. */
        abstract suspend fun take()

        /** Waits long enough for one that is there. */
        open suspend fun takeWhatIsThere(): Boolean = withTimeoutOrNull(LIMIT / 2) { take() } != null
    }

    private fun onTheLoop() = RaceWay.onTheLoop(loop)

    private fun anywhere() = RaceWay.anywhere(loop, started("other"))

    @Test
    fun noSignalIsLost(
        @Seeded random: SplittableRandom,
    ) {
        val service = closeLater(SignalService.attach(loop, SignalSet.of(SIGURG)))
        val info = SignalInfo(SIGURG, 0, 1, 0, 0, 0, 0)
        val signals =
            object : Ware(most = 8) {
                override suspend fun give() = service.inject(info)

                override suspend fun take() {
                    service.awaitSignal(SIGURG)
                }
            }
        race(signals, anywhere(), if (isStress) 500_000 else 55_000, random)
        assertEquals(0, service.stats().pending())
    }

    // r[verify shm.doorbell.async]
    @Test
    fun noRingIsLost(
        @Seeded random: SplittableRandom,
    ) {
        val pair = closeLater(Doorbell.pair())
        loop
        val guest = closeLater(pair.guest().onLoop(loop))
        val rings =
            object : Ware(most = 1) {
                override suspend fun give() {
                    pair.host().ring()
                }

                override suspend fun take() {
                    guest.awaitEvent()
                }
            }
        race(rings, anywhere(), if (isStress) 500_000 else 22_000, random)
    }

    // r[verify kt.link]
    @Test
    fun noFrameOfAChannelIsLostAndNoCredit(
        @Seeded random: SplittableRandom,
    ) {
        loop
        val ends = closeLater(TwoEnds(loop))
        val ours = ends.async.openChannel()
        val theirs = checkNotNull(ends.guest.acceptChannel(Duration.ofSeconds(30)))
        val credit = theirs.credit()
        var sent = 0
        var received = 0
        val frames =
            object : Ware(most = 4) {
                override suspend fun give() {
                    assertEquals(SendResult.SENT, theirs.trySend(TwoEnds.frame(sent++)))
                }

                override suspend fun take() {
                    val frame = ours.receive()
                    assertEquals(received++, frame?.id()?.toInt())
                }
            }
        race(frames, anywhere(), if (isStress) 500_000 else 11_000, random)
        assertEquals(credit, theirs.credit())
    }

    // r[verify kt.io]
    @Test
    fun noConnectionIsLost(
        @Seeded random: SplittableRandom,
    ) {
        val address = AbstractSocketAddress.of("carillon-handover-${ProcessHandle.current().pid()}")
        val server = closeLater(ServerSocket.bind(loop, address))
        val clients = started("clients")
        val connections =
            object : Ware(most = 8) {
                override suspend fun give() = clients.connect(address).close()

                override suspend fun take() = server.accept().close()
            }
        race(connections, anywhere(), if (isStress) 200_000 else 11_000, random)
    }

    // r[verify kt.local]
    @Test
    fun noElementOfALoopChannelIsLost(
        @Seeded random: SplittableRandom,
    ) {
        for (capacity in listOf(0, 8)) {
            val channel = LoopChannel<Int>(loop, capacity)
            val elements =
                object : Ware(most = 8) {
                    override suspend fun give() {
                        // A rendezvous waits for the receiver, and nobody waits for that here.
                        CoroutineScope(loop.dispatcher).launch { channel.send(1) }
                        withContext(loop.dispatcher) { }
                    }

                    override suspend fun take() {
                        channel.receive()
                    }

                    override suspend fun takeWhatIsThere() =
                        withContext(loop.dispatcher) { channel.tryReceive() != null }
                }
            race(elements, onTheLoop(), if (isStress) 250_000 else 10_000, random)
        }
    }

    @Test
    fun noTurnOfALoopMutexIsLost(
        @Seeded random: SplittableRandom,
    ) {
        val mutex = LoopMutex(loop)
        within { withContext(loop.dispatcher) { mutex.lock() } }
        val turns =
            object : Ware(most = 1) {
                override suspend fun give() = withContext(loop.dispatcher) { mutex.unlock() }

                override suspend fun take() = mutex.lock()

                override suspend fun takeWhatIsThere() = withContext(loop.dispatcher) { mutex.tryLock() }
            }
        race(turns, onTheLoop(), if (isStress) 500_000 else 20_000, random)
    }

    private fun race(
        ware: Ware,
        ways: List<RaceWay>,
        rounds: Int,
        random: SplittableRandom,
    ) = within(if (isStress) 20.minutes else 1.5.minutes) {
        Ambush(random.split()).use { ambush ->
            for (way in ways) {
                val sums = Sums()
                repeat(rounds / ways.size) { round(ware, way, ambush, random, sums) }
                drain(ware, sums)
                println("$way: $sums")
                assertEquals(sums.arrived, sums.returned) { "lost with $way: $sums" }
                assertTrue(sums.cancelled > 0) { "no races with $way: $sums" }
            }
        }
    }

    private class Sums {
        var arrived = 0
        var returned = 0
        var cancelled = 0

        override fun toString() = "arrived=$arrived returned=$returned, waits cancelled=$cancelled"
    }

    private suspend fun CoroutineScope.round(
        ware: Ware,
        way: RaceWay,
        ambush: Ambush,
        random: SplittableRandom,
        sums: Sums,
    ) {
        val moment = random.nextInt(4)
        if (sums.arrived - sums.returned >= ware.most) {
            drain(ware, sums)
        }
        if (moment == 0) ware.giveOne(sums)
        var hasIt = false
        val job =
            way.launch(this) {
                val self = checkNotNull(coroutineContext[Job])
                ambush.soon { self.cancel(null) }
                ware.take()
                hasIt = true
            }
        if (moment == 1) ware.giveOne(sums)
        if (moment == 2 && sums.arrived == sums.returned) ware.giveOne(sums)
        job.join()
        if (hasIt) sums.returned++ else sums.cancelled++
    }

    private suspend fun Ware.giveOne(sums: Sums) {
        if (sums.arrived - sums.returned < most) {
            sums.arrived++
            give()
        }
    }

    private suspend fun drain(
        ware: Ware,
        sums: Sums,
    ) {
        while (sums.returned < sums.arrived && ware.takeWhatIsThere()) sums.returned++
        assertEquals(sums.arrived, sums.returned) { "lost: $sums" }
    }
}
