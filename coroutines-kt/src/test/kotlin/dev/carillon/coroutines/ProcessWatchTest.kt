package dev.carillon.coroutines

import dev.carillon.ClosedException
import dev.carillon.Signal
import dev.carillon.process.ProcessWatch
import dev.carillon.process.Spawn
import dev.carillon.test.Futures
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import kotlin.time.Duration.Companion.microseconds

// r[verify kt.process]
class ProcessWatchTest : LoopCase() {
    /** A process that goes on until it is killed. */
    private fun stranger(): ProcessWatch {
        val child = Spawn.command("sleep", "100").start(loop)
        closeLater(
            AutoCloseable {
                child.kill()
                // Before the loop is closed: the shared loop would take its end.
                Futures.get(child.exit())
            },
        )
        return closeLater(ProcessWatch.of(loop, child.pid().toLong()))
    }

    @Test
    fun theEndIsAwaitedAndCanBeAskedForAgain() =
        onLoop {
            val watch = stranger()
            val waiting = List(3) { launch(start = CoroutineStart.UNDISPATCHED) { watch.awaitEnd() } }
            assertTrue(waiting.all { it.isActive })
            assertTrue(watch.send(Signal.SIGKILL))
            watch.awaitEnd()
            watch.awaitEnd()
            waiting.forEach { it.join() }
            assertTrue(waiting.none { it.isCancelled })
            assertFalse(watch.isAlive)
        }

    @Test
    fun aCancelledWaitLeavesTheWatchAndOtherWaitsAlone() =
        onLoop {
            val watch = stranger()
            val other = launch(start = CoroutineStart.UNDISPATCHED) { watch.awaitEnd() }
            launch(start = CoroutineStart.UNDISPATCHED) { watch.awaitEnd() }.cancelAndJoin()
            repeat(100) { assertNull(withTimeoutOrNull(10.microseconds) { watch.awaitEnd() }) }
            assertTrue(watch.isAlive)
            assertTrue(other.isActive)
            watch.send(Signal.SIGKILL)
            other.join()
            assertFalse(other.isCancelled)
        }

    @Test
    fun itIsAwaitedOnAnyDispatcher() =
        within {
            val watch = stranger()
            val waiting =
                launch(Dispatchers.Default, start = CoroutineStart.UNDISPATCHED) {
                    watch.awaitEnd()
                    assertFalse(loop.inLoop())
                }
            withContext(Dispatchers.IO) { watch.send(Signal.SIGKILL) }
            waiting.join()
            assertFalse(waiting.isCancelled)
        }

    @Test
    fun aCloseEndsTheWait() =
        onLoop {
            val watch = stranger()
            val thrown = mutableListOf<ClosedException>()
            val waiting =
                launch(start = CoroutineStart.UNDISPATCHED) {
                    try {
                        watch.awaitEnd()
                    } catch (closed: ClosedException) {
                        thrown += closed
                    }
                }
            watch.close()
            waiting.join()
            assertEquals(1, thrown.size)
        }
}
