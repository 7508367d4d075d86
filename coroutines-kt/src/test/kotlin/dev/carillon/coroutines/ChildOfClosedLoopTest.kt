package dev.carillon.coroutines

import dev.carillon.Signal
import dev.carillon.loop.EventLoop
import dev.carillon.process.Child
import dev.carillon.process.Spawn
import dev.carillon.process.Stdio
import dev.carillon.test.LeakExempt
import dev.carillon.test.LeakKind
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.launch
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import java.nio.ByteBuffer
import kotlin.time.Duration.Companion.milliseconds

// r[verify kt.process]

/** A child whose loop is closed, or that of the coroutine that waits for it. */
@LeakExempt(
    kinds = [LeakKind.THREAD, LeakKind.DESCRIPTOR],
    why = "the shared loop, which takes over, lives as long as the VM",
)
class ChildOfClosedLoopTest : LoopCase() {
    @Test
    fun aChildIsEndedThoughTheLoopOfItsCoroutineEndsFirst() {
        for (isClosedFirst in listOf(false, true)) {
            for (isOfTheSameLoop in listOf(false, true)) {
                endsTheChildAlthoughTheLoopEnds(isClosedFirst, isOfTheSameLoop)
            }
        }
    }

    private fun endsTheChildAlthoughTheLoopEnds(
        isClosedFirst: Boolean,
        isOfTheSameLoop: Boolean,
    ) = within {
        val own = started("ends")
        val child = startDeaf(if (isOfTheSameLoop) own else loop)
        child.use {
            val waiting =
                CoroutineScope(own.dispatcher).launch(start = CoroutineStart.UNDISPATCHED) {
                    child.awaitExitOrEnd(grace = 50.milliseconds)
                }
            if (isClosedFirst) {
                own.close()
                waiting.cancel(null)
            } else {
                waiting.cancel(null)
                own.close()
            }
            waiting.join()
            val order = "closed first: $isClosedFirst, of the same loop: $isOfTheSameLoop"
            assertEquals(Signal.SIGKILL, child.awaitExit().signal(), order)
        }
    }

    @Test
    fun theEndIsAwaitedThoughTheLoopOfTheChildIsClosed() =
        within {
            val own = started("ends")
            startDeaf(own).use { child ->
                own.close()
                child.kill()
                assertEquals(Signal.SIGKILL, child.awaitExit().signal())
            }
        }
}

/** One that ignores SIGTERM, and does so already. */
internal suspend fun startDeaf(on: EventLoop): Child {
    val deaf = Spawn.command("sh", "-c", "trap '' TERM; echo; exec sleep 100").stdout(Stdio.pipe())
    return deaf.start(on).also { it.stdout().readSome(ByteBuffer.allocate(1)) }
}
