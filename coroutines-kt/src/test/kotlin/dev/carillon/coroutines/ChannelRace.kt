package dev.carillon.coroutines

import dev.carillon.shm.AsyncChannel
import dev.carillon.shm.CreditResult
import dev.carillon.shm.SendResult
import dev.carillon.shm.ShmChannel
import kotlinx.coroutines.flow.first
import org.junit.jupiter.api.Assertions.assertEquals
import java.time.Duration

/** As [SendRace], on a channel whose credit is used up most of the time. */
internal open class CreditRace(
    ends: TwoEnds,
) : SendRace(ends) {
    protected val ours: AsyncChannel = ends.async.openChannel()
    private val theirs = acceptedBy(ends)

    override suspend fun sendOne(plan: Int) {
        sentOne(ours.send(frame(sent)))
    }

    override fun take(limit: Int) {
        theirs.poll(::took, limit)
    }

    override fun settle() {
        super.settle()
        assertEquals(WINDOW, ours.channel().credit(), "credit")
    }
}

/** As [CreditRace], with waits for the credit alone: of the next frame, or of the whole window. */
internal class AwaitCreditRace(
    ends: TwoEnds,
) : CreditRace(ends) {
    override suspend fun sendOne(plan: Int) {
        val credit = if (plan == 0) WINDOW else ShmChannel.cost(lengthOf(sent))
        if (ours.awaitCredit(credit) == CreditResult.GRANTED) {
            check(ours.channel().credit() >= credit) { "granted=$credit credit=${ours.channel().credit()}" }
            count(ours.trySend(frame(sent)))
        }
    }
}

/** As [ReceiveRace], on a channel: what is received is granted anew, and nothing else. */
internal class ChannelReceiveRace(
    ends: TwoEnds,
) : ReceiveRace(ends) {
    private val ours = ends.async.openChannel()
    private val theirs = acceptedBy(ends)

    override suspend fun act(
        plan: Int,
        isPatient: Boolean,
    ) {
        when {
            plan < 3 && isPatient -> took(ours.frames().first())
            plan < 3 -> ours.frames().collect(::took)
            else -> again(isPatient) { ours.receive()?.let(::took) }
        }
    }

    override fun trySend(number: Long): SendResult = theirs.trySend(frame(number))

    override fun takeAll() {
        while (true) took(ours.tryReceive() ?: return)
    }

    override fun settle() {
        super.settle()
        assertEquals(WINDOW, theirs.credit(), "credit")
    }
}

private fun acceptedBy(ends: TwoEnds): ShmChannel =
    checkNotNull(ends.guest.acceptChannel(Duration.ofSeconds(30))) { "no channel came" }
