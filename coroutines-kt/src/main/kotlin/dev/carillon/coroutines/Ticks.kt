@file:JvmName("LoopTicks")

package dev.carillon.coroutines

import dev.carillon.ClosedException
import dev.carillon.loop.EventLoop
import dev.carillon.loop.MissedTicks
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import java.util.concurrent.RejectedExecutionException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.microseconds

// r[impl kt.ticks]

/** A tick of [ticks]. */
public class Tick internal constructor(
    /** How many ticks the collector was given before this one. */
    public val number: Long,
    /** How many were missed: with SKIP dropped since the tick before, with CATCH_UP still to come at once, with DELAY none. */
    public val missed: Long,
) {
    override fun toString(): String = "Tick[$number, missed=$missed]"
}

/**
 * Ticks on this loop's clock, never early, for as long as they are collected.
 *
 * The collector has one tick at a time, and nothing ticks while it is at work on it. What it missed meanwhile is told by the rule: SKIP
 * drops it and stays on the grid of [first] and [period], CATCH_UP brings it tick by tick with a turn of the loop in between, DELAY counts
 * the period from the end of the work. Each collection has its own ticks, which begin with it.
 *
 * Cancellable; nothing can be lost.
 *
 * **Threading:** a coroutine on any dispatcher, where it goes on afterwards.
 *
 * @param period a microsecond at least, and finite
 * @param first the wait for the first tick; zero and less are now
 * @throws IllegalArgumentException if the period is another one
 * @throws ClosedException in the collection, if the loop ends first; a coroutine of this loop is cancelled instead, with that as the cause
 * @throws RejectedExecutionException in the collection, if the loop is stopping already
 */
@JvmOverloads
public fun EventLoop.ticks(
    period: Duration,
    rule: MissedTicks = MissedTicks.SKIP,
    first: Duration = period,
): Flow<Tick> {
    require(period >= 1.microseconds && period.isFinite()) {
        "period=$period: at least a microsecond, and finite; for one wait there is sleep()"
    }
    val loop = this
    return flow {
        val grid = Grid(period.inWholeNanoseconds, rule, loop.deadlineAfter(first.inWholeNanoseconds.coerceAtLeast(0)))
        var number = 0L
        while (true) {
            loop.sleepUntil(grid.wakeUpAt)
            emit(Tick(number++, grid.arrive(loop.nanoTime())))
            grid.goOn(loop.nanoTime())
        }
    }
}

/** When ticks are due, by the rule. */
private class Grid(
    private val period: Long,
    private val rule: MissedTicks,
    private var due: Long,
) {
    private var dropped = 0L

    var wakeUpAt: Long = due
        private set

    /** A tick has come; returns how many were missed. */
    fun arrive(now: Long): Long {
        val late = if (rule == MissedTicks.DELAY) 0 else periodsUntil(now)
        val missed = dropped + late
        if (rule == MissedTicks.SKIP) {
            due += late * period
        }
        return missed
    }

    /** Its collector is done. */
    fun goOn(now: Long) {
        dropped = if (rule == MissedTicks.SKIP) periodsUntil(now) else 0
        val from = if (rule == MissedTicks.DELAY) now else due + dropped * period
        due = if (from > Long.MAX_VALUE - period) Long.MAX_VALUE else from + period
        // One that is late goes behind what is due on the loop by now.
        wakeUpAt = maxOf(due, now)
    }

    private fun periodsUntil(now: Long): Long = if (now <= due) 0 else java.lang.Long.divideUnsigned(now - due, period)
}
