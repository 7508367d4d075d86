package dev.carillon.coroutines

import dev.carillon.test.Deadline
import dev.carillon.test.Seeded
import dev.carillon.test.proc.Descriptors
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertInstanceOf
import org.junit.jupiter.api.Test
import java.net.InetSocketAddress
import java.net.UnknownHostException
import java.util.SplittableRandom
import kotlin.time.toJavaDuration

/** Connects to a host by its name. */
class HostConnectTest : LoopCase() {
    private val times = if (isStress) 20_000 else 200

    // r[verify io.race]
    @Test
    fun aHostIsConnectedToByNameFromAnyDispatcher() =
        within {
            val server = server()
            val port = (server.localAddress() as InetSocketAddress).port
            for (dispatcher in listOf(loop.dispatcher, Dispatchers.Default, Dispatchers.Unconfined)) {
                withContext(dispatcher) {
                    loop.connect("localhost", port).use { assertEquals(server.localAddress(), it.remoteAddress()) }
                }
            }
        }

    // r[verify io.lookup]
    @Test
    fun aNameThatNobodyKnowsIsThrownWithWhatToDo() =
        onLoop {
            val failure = runCatching { loop.connect("no such host", 80) }.exceptionOrNull()
            assertInstanceOf(UnknownHostException::class.java, failure)
        }

    // r[verify io.race]
    @Test
    fun cancellationsAtAnyMomentLeaveNoSocketBehind(
        @Seeded random: SplittableRandom,
    ) {
        val server = server()
        val port = (server.localAddress() as InetSocketAddress).port
        val before = Descriptors.ofProgram()
        within(LIMIT * 3) {
            val taking = launch(loop.dispatcher) { server.connections().collect { it.close() } }
            repeat(times) {
                val where = if (random.nextBoolean()) loop.dispatcher else Dispatchers.Default
                val start = if (random.nextBoolean()) CoroutineStart.UNDISPATCHED else CoroutineStart.DEFAULT
                val connecting = async(where, start) { loop.connect("127.0.0.1", port).close() }
                repeat(random.nextInt(30)) { yield() }
                connecting.cancel()
                connecting.join()
            }
            taking.cancel()
        }
        Deadline.after(LIMIT.toJavaDuration()).await("no socket is left") { Descriptors.openedSince(before).isEmpty() }
    }
}
