package dev.carillon.coroutines

import dev.carillon.Signal
import dev.carillon.process.Child
import dev.carillon.process.OutputException
import dev.carillon.process.OutputOptions
import dev.carillon.process.Spawn
import dev.carillon.process.Stdio
import dev.carillon.test.Deadline
import dev.carillon.test.Seeded
import dev.carillon.test.proc.Children
import dev.carillon.test.proc.Descriptors
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.ByteBuffer
import java.util.SplittableRandom
import java.util.concurrent.locks.LockSupport
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.toJavaDuration

// r[verify kt.scoped-child]

/** Children that end with a scope, and those whose output is awaited. */
class ScopedChildrenTest : LoopCase() {
    @Test
    fun aScopeWaitsForTheEndOfItsChild() =
        within {
            val children = mutableListOf<Child>()
            coroutineScope { children += shell("sleep 0.1; exit 3").startIn(this, loop) }
            assertFalse(children.single().isAlive)
            assertEquals(3, children.single().awaitExit().code())
        }

    @Test
    fun aCancelledScopeEndsTheTreesOfItsChildren() =
        within {
            for (dispatcher in listOf(loop.dispatcher, Dispatchers.Default)) {
                val job = Job()
                val tree =
                    shell("sh -c \"trap '' TERM; echo; exec sleep 1000\" & wait")
                        .stdout(Stdio.pipe())
                        .ownGroup()
                        .startIn(CoroutineScope(job + dispatcher), loop, grace = 50.milliseconds)
                assertEquals(1, tree.stdout().readSome(ByteBuffer.allocate(9)))
                job.cancelAndJoin()
                assertFalse(tree.isAlive)
                assertEquals(Signal.SIGTERM, tree.awaitExit().signal())
                assertEquals(-1, tree.stdout().readSome(ByteBuffer.allocate(9)), "nobody has the pipe any more")
                tree.close()
            }
        }

    @Test
    fun aScopeThatFailsEndsItsChildren() =
        within {
            val children = mutableListOf<Child>()
            val failure =
                runCatching {
                    coroutineScope {
                        children += Spawn.command("sleep", "1000").startIn(this, loop, grace = 1.hours)
                        error("on purpose")
                    }
                }.exceptionOrNull()
            assertEquals("on purpose", failure?.message)
            assertEquals(Signal.SIGTERM, children.single().awaitExit().signal())
        }

    @Test
    fun howAChildEndsIsNoFailureOfItsScope() =
        within {
            coroutineScope {
                shell("exit 1").startIn(this, loop)
                assertTrue(Spawn.command("sleep", "1000").startIn(this, loop).kill())
            }
        }

    @Test
    fun inACancelledScopeNothingIsStarted() {
        val job = Job()
        job.cancel()
        assertThrows(CancellationException::class.java) {
            Spawn.command("sleep", "1000").startIn(CoroutineScope(job), loop)
        }
        assertEquals(emptyList<Any>(), Children.all())
    }

    @Test
    fun theOutputIsAwaited() =
        onLoop {
            val options = OutputOptions.builder().input("ding".toByteArray()).build()
            val output = shell("cat; echo dong >&2; exit 3").awaitOutput(loop, options)
            assertEquals("ding", output.stdoutText())
            assertEquals("dong\n", output.stderrText())
            assertEquals(3, output.exit().code())
            val impatient = OutputOptions.builder().timeout(50.milliseconds.toJavaDuration()).build()
            val late = runCatching { Spawn.command("sleep", "1000").awaitOutput(loop, impatient) }.exceptionOrNull()
            assertEquals(
                Signal.SIGTERM,
                (late as OutputException)
                    .output()
                    .exit()
                    .signal(),
            )
        }

    @Test
    fun whateverTheMomentACancelledWaitLeavesNothing(
        @Seeded random: SplittableRandom,
    ) = within(100.seconds) {
        Spawn.command("true").awaitOutput(loop)
        val before = Descriptors.ofProgram()
        val options = OutputOptions.builder().grace(20.milliseconds.toJavaDuration()).build()
        repeat(if (isStress) 2_000 else 40) {
            val command = if (random.nextBoolean()) "sleep 1000; true" else "trap '' TERM; sleep 1000; true"
            val dispatcher = if (random.nextBoolean()) loop.dispatcher else Dispatchers.Default
            val waiting =
                launch(dispatcher, if (random.nextBoolean()) CoroutineStart.DEFAULT else CoroutineStart.UNDISPATCHED) {
                    shell(command).ownGroup().awaitOutput(loop, options)
                }
            LockSupport.parkNanos(random.nextLong(3_000_000))
            waiting.cancelAndJoin()
            assertEquals(emptyList<Any>(), Children.all())
        }
        Deadline
            .after(LIMIT.toJavaDuration())
            .await("no descriptor is left") { Descriptors.openedSince(before).isEmpty() }
    }

    private fun shell(script: String): Spawn.Builder = Spawn.command("sh", "-c", script)
}
