package dev.carillon.coroutines

import dev.carillon.Signal
import dev.carillon.process.Spawn
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

// r[verify kt.process]
class ChildrenTest : LoopCase() {
    @Test
    fun theEndIsAwaitedAndCanBeAskedForAgain() =
        onLoop {
            val child = Spawn.command("sh", "-c", "exit 3").start(loop)
            assertEquals(3, child.awaitExit().code())
            assertEquals(3, child.awaitExit().code())
        }

    @Test
    fun aCancelledWaitLeavesTheChildAlone() =
        onLoop {
            val child = Spawn.command("sleep", "100").start(loop)
            launch(start = CoroutineStart.UNDISPATCHED) { child.awaitExit() }.cancelAndJoin()
            assertTrue(child.isAlive)
            child.kill()
            assertEquals(Signal.SIGKILL, child.awaitExit().signal())
        }

    @Test
    fun aChildEndsWithItsScope() =
        onLoop {
            val child = Spawn.command("sleep", "100").start(loop)
            launch(start = CoroutineStart.UNDISPATCHED) { child.awaitExitOrEnd() }.cancelAndJoin()
            assertFalse(child.isAlive)
            assertEquals(Signal.SIGTERM, child.awaitExit().signal())
        }

    @Test
    fun aChildThatIgnoresTermIsKilledAfterTheGrace() =
        onLoop {
            startDeaf(loop).use { child ->
                val begin = System.nanoTime()
                launch(
                    start = CoroutineStart.UNDISPATCHED,
                ) { child.awaitExitOrEnd(grace = 50.milliseconds) }.cancelAndJoin()
                assertTrue(System.nanoTime() - begin >= 50.milliseconds.inWholeNanoseconds)
                assertEquals(Signal.SIGKILL, child.awaitExit().signal())
            }
        }

    @Test
    fun aHundredAtOnceAreAllSeen() =
        within(60.seconds) {
            val children = List(100) { Spawn.command("sh", "-c", "exit ${it % 7}").start(loop) }
            children.forEachIndexed { index, child -> assertEquals(index % 7, child.awaitExit().code()) }
        }
}
