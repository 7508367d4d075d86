package dev.carillon.coroutines

import com.sun.management.ThreadMXBean
import dev.carillon.io.StreamSocket
import dev.carillon.sys.call.Sys
import dev.carillon.test.Deadline
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.newSingleThreadContext
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.lang.management.ManagementFactory
import java.nio.ByteBuffer
import java.time.Duration

/** What is left to the collector when a coroutine suspends, against a single-thread dispatcher of kotlinx.coroutines. */
class GarbageTest : LoopCase() {
    private val threads = ManagementFactory.getThreadMXBean() as ThreadMXBean

    // r[verify kt.local]
    @Test
    fun yieldsOfThreeCoroutinesLeaveNone() =
        onLoop {
            assertNone("yieldOnLoop") { times -> together(3) { repeat(times) { yieldOnLoop() } } }
            assertNone("yield") { times -> together(3) { repeat(times) { yield() } } }
        }

    @Test
    fun whatIsHandedOverInALoopChannelLeavesNone() =
        onLoop {
            for (capacity in listOf(0, 4)) {
                assertNone("LoopChannel of $capacity") { times ->
                    val channel = LoopChannel<Any>(loop, capacity)
                    coroutineScope {
                        launch { repeat(times) { channel.send(this@GarbageTest) } }
                        launch { repeat(times) { channel.receive() } }
                    }
                }
            }
        }

    @Test
    fun waitsForALoopMutexLeaveNone() =
        onLoop {
            val mutex = LoopMutex(loop)
            assertNone("LoopMutex") { times -> together(3) { repeat(times) { mutex.withLock { yieldOnLoop() } } } }
        }

    // r[verify kt.dispatcher]
    @OptIn(ExperimentalCoroutinesApi::class, DelicateCoroutinesApi::class)
    @Test
    fun whatKotlinxSuspendsLeavesNoMoreHereThanOnItsOwnSingleThread() =
        within {
            newSingleThreadContext("single").use { single ->
                for ((name, work) in mapOf(
                    "yield" to ::yields,
                    "Channel" to ::channel,
                )) {
                    val theirs = withContext(single) { bytesEach(Double.MAX_VALUE, work) }
                    val ours = withContext(loop.dispatcher) { bytesEach(theirs, work) }
                    assertTrue(ours <= theirs) { "$name: $ours bytes here, $theirs there" }
                }
            }
        }

    // r[verify kt.io]
    @Test
    fun aJobForgetsTheOperationsThatAreOver() =
        within {
            val (left, _) = pair()
            withContext(loop.dispatcher) {
                repeat(TIMES) { left.pollWritable() }
                // The least of a few rounds: other threads of the VM allocate, too.
                val each =
                    List(3) {
                        val before = memory()
                        repeat(TIMES) { left.pollWritable() }
                        (memory() - before).toDouble() / TIMES
                    }.min()
                assertTrue(each < 16) { "$each bytes each" }
            }
        }

    // r[verify kt.resume]
    @Test
    fun anEchoLeavesAtMostTwoHundredBytesAMessage() =
        onLoop {
            val (client, server) = pair()
            val echo = launch { answer(server) }
            val out = ByteBuffer.allocateDirect(64)
            val back = ByteBuffer.allocateDirect(64)
            awaitCompiledCalls()
            // Both sides are coroutines of this loop: in each message two reads wait, and two writes do not.
            val each =
                bytesEach(200.0) { times ->
                    repeat(times) {
                        client.writeAll(out.clear())
                        client.readSome(back.clear())
                    }
                }
            assertTrue(each <= 200) { "$each bytes a message" }
            println("$each bytes a message, on both sides together")
            client.close()
            echo.join()
        }

    private suspend fun answer(peer: StreamSocket) {
        val buffer = ByteBuffer.allocateDirect(64)
        while (peer.readSome(buffer.clear()) >= 0) peer.writeAll(buffer.flip())
    }

    private fun memory(): Long {
        repeat(3) { System.gc() }
        return Runtime.getRuntime().run { totalMemory() - freeMemory() }
    }

    private suspend fun yields(times: Int) = together(2) { repeat(times) { yield() } }

    private suspend fun channel(times: Int): Unit =
        coroutineScope {
            val channel = Channel<Any>()
            launch { repeat(times) { channel.send(this@GarbageTest) } }
            launch { repeat(times) { channel.receive() } }
        }

    private suspend fun together(
        coroutines: Int,
        work: suspend CoroutineScope.() -> Unit,
    ): Unit = coroutineScope { repeat(coroutines) { launch { work() } } }

    private suspend fun assertNone(
        name: String,
        work: suspend (Int) -> Unit,
    ) {
        awaitCompiledCalls()
        val each = bytesEach(0.19, work)
        assertTrue(each < 0.2) { "$name: $each bytes each" }
    }

    /** On java.lang.foreign a system call leaves 40 bytes until it is compiled, and a loop polls between its batches. */
    private fun awaitCompiledCalls() {
        val limit = Deadline.after(Duration.ofSeconds(30))
        do {
            val before = threads.currentThreadAllocatedBytes
            repeat(1_000) { Sys.get().processes().threadId() }
            val left = threads.currentThreadAllocatedBytes - before
        } while (left >= 1_000 && !limit.isOver())
    }

    /**
     * The least of a few rounds: compilers and first uses leave something, too. Where a compiler comes late, there are
     * more of them, until what is left is little enough.
     */
    private suspend fun bytesEach(
        enough: Double,
        work: suspend (Int) -> Unit,
    ): Double {
        val limit = Deadline.after(Duration.ofSeconds(10))
        var least = Double.MAX_VALUE
        var rounds = 0
        while (rounds++ < 5 || (least > enough && !limit.isOver())) {
            val before = threads.currentThreadAllocatedBytes
            work(TIMES)
            least = minOf(least, (threads.currentThreadAllocatedBytes - before).toDouble() / TIMES)
        }
        return least
    }

    private companion object {
        private const val TIMES = 50_000
    }
}
