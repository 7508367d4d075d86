package dev.carillon.coroutines

import dev.carillon.ClosedException
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertInstanceOf
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.util.concurrent.atomic.AtomicReference

/** yieldOnLoop, LoopChannel and LoopMutex: what belongs to one loop. */
class LoopLocalTest : LoopCase() {
    // r[verify kt.local]
    @Test
    fun aYieldOnTheLoopLetsEverybodyElseGoOnce() =
        onLoop {
            val seen = StringBuilder()
            coroutineScope {
                for (name in "abc") {
                    launch {
                        repeat(3) {
                            seen.append(name)
                            if (it % 2 == 0) yieldOnLoop() else yield()
                        }
                    }
                }
            }
            assertEquals("abcabcabc", seen.toString())
        }

    @Test
    fun aCoroutineThatIsCancelledWhileItYieldsThrowsOnItsTurn() =
        onLoop {
            var went = false
            val yielding =
                launch {
                    yieldOnLoop()
                    went = true
                }
            yield()
            yielding.cancel(null)
            yielding.join()
            assertFalse(went)
            assertTrue(yielding.isCancelled)
        }

    @Test
    fun aCoroutineThatYieldsForEverStarvesNoTimer() =
        onLoop {
            val yielding = launch { while (true) yieldOnLoop() }
            assertNull(withTimeoutOrNull(2) { LoopChannel<Int>(loop).receive() })
            yielding.cancel(null)
        }

    @Test
    fun whatAThreadCarriesForACoroutineIsThereAfterAYield() =
        onLoop {
            val carried = ThreadLocal.withInitial { "nothing" }
            val channel = LoopChannel<Int>(loop)
            coroutineScope {
                launch(Carried(carried, "mine")) {
                    yieldOnLoop()
                    assertEquals("mine", carried.get())
                    assertEquals(1, channel.receive())
                    assertEquals("mine", carried.get())
                }
                launch {
                    repeat(3) { yieldOnLoop() }
                    assertEquals("nothing", carried.get())
                    channel.send(1)
                    assertEquals("nothing", carried.get())
                }
            }
        }

    @Test
    fun aRendezvousHandsOverInOrder() = handsOver(0)

    @Test
    fun aBufferHandsOverInOrder() = handsOver(7)

    private fun handsOver(capacity: Int) =
        onLoop {
            val channel = LoopChannel<Int>(loop, capacity)
            val received =
                async {
                    val seen = mutableListOf<Int>()
                    while (true) seen += channel.receiveOrNull() ?: break
                    seen
                }
            repeat(1_000) { channel.send(it) }
            channel.close()
            assertTrue(channel.isClosed)
            assertEquals((0 until 1_000).toList(), received.await())
        }

    @Test
    fun aBufferTakesAsMuchAsItHasRoomForAndNoMore() =
        onLoop {
            val channel = LoopChannel<Int>(loop, 2)
            assertTrue(channel.trySend(1))
            assertTrue(channel.trySend(2))
            assertFalse(channel.trySend(3))
            val sender = launch { channel.send(3) }
            yield()
            assertEquals(1, channel.tryReceive())
            sender.join()
            assertEquals(listOf(2, 3, null), List(3) { channel.tryReceive() })
            assertFalse(LoopChannel<Int>(loop).trySend(1))
        }

    @Test
    fun closingEndsThoseWhoWaitAndKeepsWhatIsThere() =
        onLoop {
            supervisorScope {
                val full = LoopChannel<Int>(loop, 1).apply { send(1) }
                val empty = LoopChannel<Int>(loop)
                val sender = async { failureOf { full.send(2) } }
                val receiver = async { failureOf { empty.receive() } }
                yield()
                full.close()
                empty.close()
                assertInstanceOf(ClosedException::class.java, sender.await())
                assertInstanceOf(ClosedException::class.java, receiver.await())
                assertInstanceOf(ClosedException::class.java, failureOf { full.send(3) })
                assertEquals(1, full.receive())
                assertInstanceOf(ClosedException::class.java, failureOf { full.receive() })
                assertNull(full.receiveOrNull())
            }
        }

    @Test
    fun aCancelledReceiverLeavesItsElementToTheNext() =
        onLoop {
            val channel = LoopChannel<Int>(loop)
            val first = async { channel.receive() }
            yield()
            channel.send(1)
            first.cancel(null)
            first.join()
            assertEquals(1, channel.tryReceive())
        }

    @Test
    fun aCancelledSenderDidNotSend() =
        onLoop {
            val channel = LoopChannel<Int>(loop)
            val sender = launch { channel.send(1) }
            yield()
            sender.cancel(null)
            sender.join()
            assertNull(channel.tryReceive())
        }

    @Test
    fun aMutexLetsThemInOneByOneInTheirOrder() =
        onLoop {
            val mutex = LoopMutex(loop)
            val seen = StringBuilder()
            coroutineScope {
                for (name in "abc") {
                    launch {
                        mutex.withLock {
                            seen.append(name)
                            yieldOnLoop()
                            seen.append(name)
                        }
                    }
                }
                yield()
                assertTrue(mutex.isLocked)
                assertFalse(mutex.tryLock())
            }
            assertEquals("aabbcc", seen.toString())
            assertFalse(mutex.isLocked)
            assertInstanceOf(IllegalStateException::class.java, failureOf { mutex.unlock() })
        }

    @Test
    fun anyOtherThreadGetsAnErrorThatSaysWhatToDo() =
        within {
            val channel = LoopChannel<Int>(loop, 1)
            val mutex = LoopMutex(loop)
            val misuses: List<suspend () -> Any?> =
                listOf(
                    { yieldOnLoop() },
                    { channel.send(1) },
                    { channel.receive() },
                    { channel.tryReceive() },
                    { channel.close() },
                    { mutex.lock() },
                    { mutex.unlock() },
                )
            for (dispatcher in listOf(Dispatchers.Default, started("other").dispatcher)) {
                withContext(dispatcher) {
                    misuses.drop(if (dispatcher is LoopDispatcher) 1 else 0).forEach {
                        val failure = failureOf(it)
                        assertInstanceOf(IllegalStateException::class.java, failure)
                        assertTrue(failure.message.orEmpty().contains("withContext(loop.dispatcher)"), failure.message)
                    }
                }
            }
        }

    @Test
    fun thoseWhoWaitForEachOtherCanBeCancelledWhenTheLoopIsOver() =
        within {
            val channel = LoopChannel<Int>(loop)
            val mutex = LoopMutex(loop)
            val cleaned = AtomicReference("")
            val waiting =
                CoroutineScope(loop.dispatcher).launch {
                    mutex.withLock {
                        try {
                            channel.receive()
                        } finally {
                            channel.close()
                            cleaned.set(Thread.currentThread().name)
                        }
                    }
                }
            withContext(loop.dispatcher) { yield() }
            loop.close()
            waiting.cancel(null)
            waiting.join()
            assertTrue(waiting.isCancelled)
            assertTrue(cleaned.get().startsWith("DefaultDispatcher-worker"), cleaned.get())
        }

    private suspend fun failureOf(action: suspend () -> Any?): Throwable =
        try {
            throw AssertionError("it did not fail but gave ${action()}")
        } catch (cancelled: CancellationException) {
            throw cancelled
        } catch (failure: RuntimeException) {
            failure
        }
}
