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
 * In all 15,000 races, on every dispatcher; half a million with the profile stress.
 */
class LinkRacesTest : LoopCase() {
    private val races = if (isStress) 110_000 else 3_000
    private val limit = if (isStress) 20.minutes else 1.5.minutes
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

    // r[verify shm.wakeup.credit-wait]
    @Test
    fun aSendOnAChannelThatIsCancelledHasUsedNoCredit(
        @Seeded random: SplittableRandom,
    ) = race(CreditRace(ends), random)

    @Test
    fun aReceiveOnAChannelThatIsCancelledGrantsWhatWasTaken(
        @Seeded random: SplittableRandom,
    ) = race(ChannelReceiveRace(ends), random)

    private fun race(
        race: LinkRace,
        random: SplittableRandom,
    ) = within(limit) {
        val ways = RaceWay.anywhere(loop, started("other"))
        Ambush(random.split()).use { ambush ->
            for (way in ways) {
                val before = race.received
                var cancelled = 0
                repeat(races / ways.size) { if (isCancelled(race, way, ambush, random)) cancelled++ }
                race.settle()
                val sums = "$way: races=${races / ways.size} cancelled=$cancelled frames=${race.received - before}"
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
}
