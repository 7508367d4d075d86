package dev.carillon.coroutines

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.withContext
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Test

/** The loop of a context. */
class LoopElementTest : LoopCase() {
    // r[verify kt.context]
    @Test
    fun theElementCountsThenTheDispatcherThenTheSharedLoop() =
        within {
            assertNull(currentCoroutineContext().eventLoop)
            withContext(loop.dispatcher) { assertSame(loop, currentLoop()) }
            withContext(loop.dispatcher.immediate) { assertSame(loop, currentLoop()) }
            withContext(Dispatchers.Default + LoopElement(loop)) { assertSame(loop, currentLoop()) }
            withContext(started("other").dispatcher + LoopElement(loop)) { assertSame(loop, currentLoop()) }
            assertEquals("LoopElement[test-loop]", LoopElement(loop).toString())
        }

    @Test
    fun aWaitFindsTheLoopOfItsContext() =
        within {
            val before = loop.stats().operations()["AWAIT_WRITABLE"] ?: 0
            withContext(LoopElement(loop)) { awaitWritable(1) }
            assertEquals(before + 1, loop.stats().operations()["AWAIT_WRITABLE"])
        }
}
