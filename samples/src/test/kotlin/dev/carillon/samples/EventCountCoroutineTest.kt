package dev.carillon.samples

import dev.carillon.futex.EventCount
import dev.carillon.memory.MemoryRegion
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.runInterruptible
import kotlinx.coroutines.withTimeout
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import kotlin.time.Duration.Companion.seconds

/** What docs/futex.md shows of coroutines. */
class EventCountCoroutineTest {
    private suspend fun awaitNumber(
        region: MemoryRegion,
        begun: CompletableDeferred<Unit> = CompletableDeferred(),
    ): Int {
        val published = EventCount.at(region, 0)
        val condition = {
            begun.complete(Unit)
            region.bytes().getIntAcquire(64) != 0
        }
        // region coroutine
        runInterruptible(Dispatchers.IO) { published.awaitUntil(condition, Long.MAX_VALUE) }
        // endregion
        return region.bytes().getInt(64)
    }

    @Test
    fun aCoroutineSeesWhatWasPublished() =
        runBlocking {
            withTimeout(20.seconds) {
                MemoryRegion.anonymous(4_096).use { region ->
                    val number = async { awaitNumber(region) }
                    region.bytes().putIntRelease(64, 42)
                    EventCount.at(region, 0).signal()
                    assertEquals(42, number.await())
                }
            }
        }

    // r[verify futex.interrupt]
    @Test
    fun aCancelledWaitEndsAtOnce() =
        runBlocking {
            MemoryRegion.anonymous(4_096).use { region ->
                val begun = CompletableDeferred<Unit>()
                val waiting = launch { awaitNumber(region, begun) }
                begun.await()
                // Nobody publishes: without the interrupt it would wait for ever.
                withTimeout(20.seconds) { waiting.cancelAndJoin() }
            }
        }
}
