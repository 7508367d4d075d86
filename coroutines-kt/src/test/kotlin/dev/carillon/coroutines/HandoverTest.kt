package dev.carillon.coroutines

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.launch
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import kotlin.coroutines.coroutineContext

// r[verify kt.hand-over]

/** Every order of an offer, a cancellation, the suspension and the turn: what was offered is somebody's in the end. */
class HandoverTest : LoopCase() {
    private enum class Step { OFFER, CANCEL, FAIL }

    /** One wait, and what became of the one thing that is offered. */
    private class Wait {
        val handover =
            object : Handover<Int>() {
                override fun forget() {
                    forgotten++
                }

                override fun giveBack(value: Int) {
                    givenBack += value
                }
            }
        var forgotten = 0
        var refused = 0
        var returned = 0
        var givenBack = 0

        suspend fun run(whileItBegins: List<Step>) {
            val job = checkNotNull(coroutineContext[Job])
            returned += handover.await { whileItBegins.forEach { take(it, job) } }
        }

        fun take(
            step: Step,
            job: Job,
        ) {
            when (step) {
                Step.OFFER -> if (!handover.offer(1)) refused++
                Step.CANCEL -> job.cancel(null)
                Step.FAIL -> handover.fail(IllegalStateException("failed"))
            }
        }

        fun check(
            steps: List<Step>,
            job: Job,
        ) {
            val what = "$steps: returned=$returned given back=$givenBack refused=$refused forgotten=$forgotten"
            assertTrue(job.isCompleted, what)
            assertFalse(handover.isOpen, what)
            assertEquals(steps.count { it == Step.OFFER }, returned + givenBack + refused, what)
            assertEquals(if (Step.CANCEL in steps || Step.FAIL in steps) 1 else 0, if (job.isCancelled) 1 else 0, what)
            assertTrue(forgotten == 0 || Step.CANCEL in steps, what)
        }
    }

    private fun orders(): List<List<Step>> =
        listOf(listOf(Step.OFFER), listOf(Step.CANCEL), listOf(Step.FAIL)) +
            Step.entries.flatMap { one -> Step.entries.filter { it != one }.map { listOf(one, it) } } +
            Step.entries.flatMap { one ->
                Step.entries.filter { it != one }.map { two ->
                    listOf(
                        one,
                        two,
                        Step.entries.first {
                            it != one &&
                                it != two
                        },
                    )
                }
            }

    /** The steps up to some place come before the suspension, those up to another one before the turn, the rest after. */
    @Test
    fun whatIsOfferedBelongsToSomebodyInEveryOrder() {
        var tried = 0
        for (steps in orders()) {
            for (begun in 0..steps.size) {
                val dispatcher = HeldBack()
                val wait = Wait()
                // Not a child of the test, which a failure would end.
                val job = CoroutineScope(dispatcher).async { wait.run(steps.take(begun)) }
                dispatcher.next().run()
                steps.drop(begun).forEach { wait.take(it, job) }
                if (!job.isCompleted) dispatcher.next().run()
                assertTrue(dispatcher.isEmpty)
                wait.check(steps.effective(wait), job)
                tried++
            }
        }
        assertEquals(48, tried)
    }

    @Test
    fun soItDoesWhereTheCoroutineGoesOnAtOnce() =
        onLoop {
            for (steps in orders()) {
                for (begun in 0..steps.size) {
                    val wait = Wait()
                    val job =
                        CoroutineScope(loop.dispatcher).async(start = CoroutineStart.UNDISPATCHED) {
                            wait.run(steps.take(begun))
                        }
                    steps.drop(begun).forEach { wait.take(it, job) }
                    job.join()
                    wait.check(steps.effective(wait), job)
                }
            }
        }

    /** What came before it decided: a step after the end of the wait changes nothing any more. */
    private fun List<Step>.effective(wait: Wait): List<Step> =
        if (wait.returned > 0) filter { it == Step.OFFER } else this

    @Test
    fun aCoroutineThatIsHandedSomethingAgainAndAgainUsesNoStack() =
        onLoop {
            var received = 0
            launch {
                repeat(200_000) {
                    val wait = Wait()
                    wait.run(listOf(Step.OFFER))
                    received += wait.returned
                }
            }.join()
            assertEquals(200_000, received)
        }
}
