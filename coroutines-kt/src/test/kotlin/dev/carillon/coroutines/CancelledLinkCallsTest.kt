package dev.carillon.coroutines

import dev.carillon.coroutines.TwoEnds.Companion.frame
import dev.carillon.shm.SendResult.SENT
import dev.carillon.test.Deadline
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineStart.UNDISPATCHED
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.cancel
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNotNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.lang.ref.WeakReference
import java.time.Duration
import kotlin.coroutines.cancellation.CancellationException

// r[verify kt.link]

/** A coroutine that was cancelled before it calls takes, sends and claims nothing, though it would not have to wait. */
class CancelledLinkCallsTest : LoopCase() {
    private val ends by lazy { closeLater(TwoEnds(loop)) }
    private val link get() = ends.async

    private fun assertCancelled(
        what: String,
        call: suspend () -> Any?,
    ) {
        for (dispatcher in listOf<CoroutineDispatcher>(loop.dispatcher, Dispatchers.Default, Dispatchers.Unconfined)) {
            val ended = mutableListOf<Any?>()
            within {
                launch(dispatcher, UNDISPATCHED) {
                    coroutineContext.cancel()
                    ended +=
                        try {
                            call()
                        } catch (cancelled: CancellationException) {
                            cancelled.javaClass.simpleName
                        }
                }.join()
            }
            assertEquals(listOf("JobCancellationException"), ended, "$what with $dispatcher")
        }
    }

    // r[verify shm.claim]
    @Test
    fun itLeavesTheLinkAsItIs() {
        assertEquals(SENT, ends.guest.trySend(frame(7)))
        assertCancelled("receive") { link.receive() }
        assertCancelled("awaitData") { link.awaitData() }
        assertCancelled("frames") { link.frames().collect { error("the collector was given $it") } }
        assertCancelled("send") { link.send(frame(1)) }
        assertCancelled("awaitSpace") { link.awaitSpace() }
        assertCancelled("claim") { link.claim(8) { error("the block was given $it") } }
        assertEquals(7, link.tryReceive()?.id())
        assertEquals(0, ends.guest.poll({}, 1))
        assertNotNull(link.tryClaim(8)?.also { it.close() }, "a claim is open still")
    }

    // r[verify shm.wakeup.credit-wait]
    @Test
    fun itLeavesTheChannelsAsTheyAre() {
        val ours = link.openChannel()
        val theirs = checkNotNull(ends.guest.acceptChannel(Duration.ofSeconds(30)))
        ends.guest.openChannel()
        assertEquals(SENT, theirs.trySend(frame(7)))
        val credit = ours.channel().credit()
        assertCancelled("receive") { ours.receive() }
        assertCancelled("frames") { ours.frames().collect { error("the collector was given $it") } }
        assertCancelled("send") { ours.send(frame(1)) }
        assertCancelled("awaitCredit") { ours.awaitCredit(1) }
        assertCancelled("acceptChannel") { link.acceptChannel() }
        assertEquals(7, ours.tryReceive()?.id())
        assertEquals(0, theirs.poll({}, 1))
        assertEquals(credit, ours.channel().credit())
        assertNotNull(link.tryAcceptChannel())
    }

    private fun cancelledWait(wait: suspend () -> Any?): WeakReference<Job> {
        lateinit var job: WeakReference<Job>
        onLoop {
            val waiting = launch(start = UNDISPATCHED) { wait() }
            assertTrue(waiting.isActive)
            waiting.cancelAndJoin()
            job = WeakReference(waiting)
        }
        return job
    }

    /** A link lives long, and what waited for it may keep much. */
    @Test
    fun noLinkOrChannelKeepsACoroutineThatGaveUpItsWait() {
        val ours = link.openChannel()
        while (link.trySend(frame(1)) == SENT) assertFalse(link.isOver())
        val gone =
            listOf(
                cancelledWait { link.receive() },
                cancelledWait { link.send(frame(1)) },
                cancelledWait { link.acceptChannel() },
                cancelledWait { ours.receive() },
                cancelledWait { ours.awaitCredit(1) },
            )
        Deadline.after(Duration.ofSeconds(30)).await("they are collected") {
            System.gc()
            gone.all { it.get() == null }
        }
    }
}
