package dev.carillon.coroutines

import dev.carillon.loop.EventLoopOptions
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.yield
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.ByteBuffer
import kotlin.time.Duration.Companion.microseconds

// r[verify loop.fairness]

/** Coroutines that always have something to do, of three kinds: none shuts out another. Turns are counted, not time. */
class FairnessTest : LoopCase() {
    /** How many turns the others have had since one of this kind had its last. */
    private class Kind {
        var turns = 0
        var othersSince = 0
        var longest = 0

        fun turn(all: List<Kind>) {
            turns++
            longest = maxOf(longest, othersSince)
            othersSince = 0
            for (other in all) if (other !== this) other.othersSince++
        }

        override fun toString() = "turns=$turns, most of the others in between=$longest"
    }

    @Test
    fun completionsAndYieldsOfBothKindsTakeTurns() {
        val (completions, ownYields, yields) = List(3) { Kind() }
        val all = listOf(completions, ownYields, yields)
        fight(listOf(completions, ownYields, yields)) {
            repeat(EACH) {
                launch { talk { completions.turn(all) } }
                launch { for (turn in generateSequence { }) yieldOnLoop().also { ownYields.turn(all) } }
                launch { for (turn in generateSequence { }) yield().also { yields.turn(all) } }
            }
        }
        val batch = EventLoopOptions.defaults().batch()
        for (kind in all) assertTrue(kind.longest <= 4 * batch) { "completions, ownYields, yields: $all" }
    }

    @Test
    fun timersComeWhileTheOthersHaveTheirTurns() {
        val (completions, ownYields, timers) = List(3) { Kind() }
        val all = listOf(completions, ownYields, timers)
        fight(all) {
            repeat(EACH) {
                launch { talk { completions.turn(all) } }
                launch { for (turn in generateSequence { }) yieldOnLoop().also { ownYields.turn(all) } }
            }
            launch { for (turn in generateSequence { }) loop.sleep(1.microseconds).also { timers.turn(all) } }
        }
    }

    private fun fight(
        kinds: List<Kind>,
        begin: suspend CoroutineScope.() -> Unit,
    ) = onLoop {
        val fighting = launch { begin() }
        while (kinds.any { it.turns < TURNS }) yield()
        fighting.cancelAndJoin()
    }

    /** A byte there and back, over and over. */
    private suspend fun talk(turn: () -> Unit) {
        val (left, right) = pair()
        val out = ByteBuffer.allocateDirect(1)
        val back = ByteBuffer.allocateDirect(1)
        while (true) {
            left.writeSome(out.clear())
            turn()
            right.readSome(back.clear())
            turn()
        }
    }

    private companion object {
        private const val EACH = 32
        private const val TURNS = 2_000
    }
}
