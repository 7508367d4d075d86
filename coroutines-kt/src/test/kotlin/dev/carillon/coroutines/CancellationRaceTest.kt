package dev.carillon.coroutines

import dev.carillon.AbstractSocketAddress
import dev.carillon.io.ServerSocket
import dev.carillon.io.StreamSocket
import dev.carillon.test.Deadline
import dev.carillon.test.Seeded
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.delay
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.ByteBuffer
import java.util.SplittableRandom
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.nanoseconds

/**
 * A cancel on one thread meets a completion on another, over and over: the sums show that nothing is lost or doubled.
 *
 * 100,000 races in all; a million with the profile stress.
 */
class CancellationRaceTest : LoopCase() {
    private val races = if (isStress) 250_000 else 25_000
    private val limit = if (isStress) 10.minutes else 1.5.minutes

    /** Spins, so that the cancel meets the completion at every stage of both. */
    private fun SplittableRandom.pause() {
        val end = System.nanoTime() + nextInt(20_000)
        while (System.nanoTime() < end) Thread.onSpinWait()
    }

    // r[verify kt.io]
    @Test
    fun noByteIsLostOrReadTwiceWhenReadsAreCancelled(
        @Seeded random: SplittableRandom,
    ) = within(limit) {
        val (left, right) = pair()
        val buffer = ByteBuffer.allocateDirect(8)
        val out = ByteBuffer.allocateDirect(1)
        var written = 0
        var read = 0

        fun check() {
            buffer.flip()
            while (buffer.hasRemaining()) assertEquals((read++).toByte(), buffer.get())
        }
        // One for all, whose operations are used again.
        val dispatcher = loop.dispatcher
        withContext(Dispatchers.Default) {
            repeat(races) {
                buffer.clear()
                val reader = launch(dispatcher) { right.readSome(buffer) }
                if (random.nextInt(3) > 0) random.pause()
                if (random.nextInt(8) > 0) {
                    left.writeAll(out.clear().put(0, (written++).toByte()))
                }
                reader.cancel()
                reader.join()
                check()
            }
            while (read < written) {
                right.readSome(buffer.clear())
                check()
            }
        }
        assertEquals(written, read)
        assertEquals(0, loop.stats().pendingOperations())
    }

    @Test
    fun noConnectionIsLostOrAcceptedTwiceWhenAcceptsAreCancelled(
        @Seeded random: SplittableRandom,
    ) = within(limit) {
        val address = AbstractSocketAddress.of("carillon-races-${ProcessHandle.current().pid()}")
        val server = closeLater(ServerSocket.bind(loop, address))
        val clients = started("clients")
        val seen = BooleanArray(races)
        var accepted = 0

        suspend fun take(connection: StreamSocket) {
            val number = ByteBuffer.allocate(Int.SIZE_BYTES)
            connection.use { while (number.hasRemaining()) it.readSome(number) }
            assertTrue(!seen[number.getInt(0)], "accepted twice")
            seen[number.getInt(0)] = true
            accepted++
        }

        suspend fun takeUpTo(all: Int) {
            while (accepted < all) {
                take(checkNotNull(withTimeoutOrNull(LIMIT) { server.accept() }) { "lost ${all - accepted}" })
            }
        }
        val dispatcher = loop.dispatcher
        withContext(Dispatchers.Default) {
            repeat(races) { number ->
                var connection: StreamSocket? = null
                val acceptor = launch(dispatcher) { connection = server.accept() }
                val client = clients.connect(address)
                client.writeAll(ByteBuffer.allocate(Int.SIZE_BYTES).putInt(0, number))
                if (random.nextBoolean()) random.pause()
                acceptor.cancel()
                acceptor.join()
                client.close()
                connection?.let { take(it) }
                // Those that nobody took pile up, and no more than the backlog can wait.
                if (number % 500 == 499 || number == races - 1) takeUpTo(number + 1)
            }
        }
    }

    // r[verify kt.dispatcher]
    @OptIn(DelicateCoroutinesApi::class)
    @Test
    fun everyDelayEndsOnceAndLeavesNoTimer(
        @Seeded random: SplittableRandom,
    ) = within(limit) {
        val batch = 500
        val started = races / batch * batch
        val ends = IntArray(started)
        var inTime = 0
        withContext(Dispatchers.Default) {
            repeat(started / batch) { round ->
                val jobs =
                    List(batch) { index ->
                        // No time at all would take no timer.
                        val time = random.nextLong(1, 1_000_000).nanoseconds
                        // It begins though it was cancelled before its first turn.
                        launch(loop.dispatcher, start = CoroutineStart.ATOMIC) {
                            try {
                                if (round % 2 == 0) loop.sleep(time) else delay(time)
                                inTime++
                            } finally {
                                ends[round * batch + index]++
                            }
                        }
                    }
                jobs.forEach {
                    if (random.nextInt(4) == 0) random.pause()
                    it.cancel()
                }
                jobs.joinAll()
            }
        }
        assertTrue(inTime in 1 until started) { "inTime=$inTime of $started: no races" }
        assertEquals(started, ends.count { it == 1 }, "each ends once")
        assertTrue(loop.stats().timers() >= inTime) { "who came back in time had a timer that ran: ${loop.stats()}" }
        Deadline
            .after(
                java.time.Duration.ofSeconds(20),
            ).await("no timer is left") { loop.stats().pendingTimers() == 0L }
    }

    // r[verify kt.local]
    @Test
    fun noElementOfALoopChannelIsLostOrReceivedTwice(
        @Seeded random: SplittableRandom,
    ) = within(limit) {
        for (capacity in listOf(0, 1, 16)) {
            val channel = LoopChannel<Long>(loop, capacity)
            val sent = Sum()
            val received = Sum()
            val batch = 200
            withContext(Dispatchers.Default) {
                repeat(races / 3 / batch) {
                    val numbers = List(batch) { random.nextLong(1L shl 40) }
                    val jobs = exchange(channel, numbers, sent, received)
                    jobs.shuffled(java.util.Random(random.nextLong())).forEach {
                        if (random.nextInt(8) == 0) random.pause()
                        it.cancel()
                    }
                    jobs.joinAll()
                }
            }
            onLoop { generateSequence { channel.tryReceive() }.forEach(received::add) }
            assertTrue(sent.count > 0, "no races")
            assertEquals(sent, received)
        }
    }

    private fun exchange(
        channel: LoopChannel<Long>,
        numbers: List<Long>,
        sent: Sum,
        received: Sum,
    ): List<Job> {
        val jobs = mutableListOf<Job>()
        val scope = CoroutineScope(loop.dispatcher)
        for (number in numbers) {
            val receiver = scope.launch { received.add(channel.receive()) }
            jobs += receiver
            jobs +=
                scope.launch {
                    channel.send(number)
                    sent.add(number)
                    // Now and then between the handing over and the receiver's turn.
                    if (number % 4 == 0L) receiver.cancel()
                }
        }
        return jobs
    }

    @Test
    fun nobodyIsLeftInALoopMutexAndNobodyEntersTwice(
        @Seeded random: SplittableRandom,
    ) = within(limit) {
        val mutex = LoopMutex(loop)
        var inside = 0
        withContext(Dispatchers.Default) {
            repeat(races / 100) {
                val jobs =
                    List(100) {
                        launch(loop.dispatcher) {
                            mutex.withLock {
                                assertEquals(1, ++inside)
                                try {
                                    yieldOnLoop()
                                } finally {
                                    inside--
                                }
                            }
                        }
                    }
                jobs.forEach {
                    if (random.nextInt(8) == 0) random.pause()
                    if (random.nextBoolean()) it.cancel()
                }
                jobs.joinAll()
            }
        }
        onLoop { assertTrue(mutex.tryLock()) }
    }

    /** On the loop thread. */
    private data class Sum(
        var count: Int = 0,
        var total: Long = 0,
    ) {
        fun add(number: Long) {
            count++
            total += number
        }
    }
}
