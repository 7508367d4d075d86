package dev.carillon.coroutines

import dev.carillon.test.Seeded
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.withTimeoutOrNull
import org.junit.jupiter.api.Assertions.assertNotNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.util.SplittableRandom
import kotlin.time.Duration.Companion.minutes

// r[verify kt.link]

/**
 * A coroutine waits on a link, the peer does what it waits for, and another thread cancels it, with nothing in between: the sums
 * show that no frame is lost or doubled, and that all entries, slots and credit are free at the end.
 *
 * In all 21,000 races, 3,000 on each dispatcher; with the profile stress 30 times as many. `-Dcarillon.races=500000` makes that as
 * many on each dispatcher.
 */
class LinkRacesTest : LoopCase() {
    private val races = Integer.getInteger("carillon.races", if (isStress) 90_000 else 3_000)
    private val limit = if (races > 3_000) 60.minutes else 1.5.minutes
    private val ends by lazy { closeLater(TwoEnds(loop, LinkRace.CONFIG)) }

    @Test
    fun aSendThatIsCancelledHasSentAllOrNothing(
        @Seeded random: SplittableRandom,
    ) = race(SendRace(ends), random)

    @Test
    fun aReceiveThatIsCancelledHasTakenItsFrameOrLeftIt(
        @Seeded random: SplittableRandom,
    ) = race(ReceiveRace(ends), random)

    // r[verify shm.claim]
    @Test
    fun aClaimThatIsCancelledGivesItsRoomBack(
        @Seeded random: SplittableRandom,
    ) = race(ClaimRace(ends), random)

    @Test
    fun aSendOnAChannelThatIsCancelledHasUsedNoCredit(
        @Seeded random: SplittableRandom,
    ) = race(CreditRace(ends), random)

    // r[verify shm.wakeup.credit-wait]
    @Test
    fun aWaitForCreditThatIsCancelledHasUsedNone(
        @Seeded random: SplittableRandom,
    ) = race(AwaitCreditRace(ends), random)

    @Test
    fun aReceiveOnAChannelThatIsCancelledGrantsWhatWasTaken(
        @Seeded random: SplittableRandom,
    ) = race(ChannelReceiveRace(ends), random)

    private fun race(
        race: LinkRace,
        random: SplittableRandom,
    ) = within(limit) {
        val ways = RaceWay.anywhere(loop, started("other"))
        val waysOf = ways.groupingBy { it.dispatcherName }.eachCount()
        Ambush(random.split()).use { ambush ->
            for (way in ways) {
                val before = race.received
                var cancelled = 0
                val count = ceilDiv(races, KINDS * waysOf.getValue(way.dispatcherName))
                repeat(count) { if (isCancelled(race, way, ambush, random)) cancelled++ }
                race.settle()
                val name = race.javaClass.simpleName
                val sums = "$name, $way: races=$count cancelled=$cancelled frames=${race.received - before}"
                println(sums)
                assertTrue(cancelled > 0 && race.received > before) { "no races with $sums" }
            }
        }
    }

    /** One race, and whether the coroutine was cancelled before it had finished. */
    private suspend fun CoroutineScope.isCancelled(
        race: LinkRace,
        way: RaceWay,
        ambush: Ambush,
        random: SplittableRandom,
    ): Boolean {
        val plan = random.nextInt(LinkRace.PLANS)
        val moment = Moment.entries[random.nextInt(Moment.entries.size)]
        if (moment == Moment.HELP_BEFORE) race.help()
        val job =
            way.launch(this) {
                val self = checkNotNull(coroutineContext[Job])
                ambush.soon { moment.attack(race, self, ambush) }
                race.act(plan, moment == Moment.HELP_ONLY)
            }
        if (moment == Moment.HELP_AFTER) race.help()
        val ended = withTimeoutOrNull(LIMIT) { job.join() }
        ambush.awaitDone()
        assertNotNull(ended) { "nothing ended the wait: $way, $moment, plan=$plan" }
        return job.isCancelled
    }

    /** When the peer does something; the thread of the ambush cancels, but for [HELP_ONLY]. */
    private enum class Moment(
        val attack: (LinkRace, Job, Ambush) -> Unit,
    ) {
        HELP_BEFORE({ _, job, _ -> job.cancel(null) }),
        HELP_AFTER({ _, job, _ -> job.cancel(null) }),
        NO_HELP({ _, job, _ -> job.cancel(null) }),
        HELP_AND_CANCEL({ race, job, ambush ->
            race.help()
            ambush.pause()
            job.cancel(null)
        }),
        CANCEL_AND_HELP({ race, job, _ ->
            job.cancel(null)
            race.help()
        }),
        HELP_ONLY({ race, _, _ -> race.helpInAnyCase() }),
    }

    private companion object {
        /** The tests above; each does its share of the races. */
        private const val KINDS = 6

        private fun ceilDiv(
            dividend: Int,
            divisor: Int,
        ) = (dividend + divisor - 1) / divisor
    }
}
