package dev.carillon.coroutines

import dev.carillon.loop.EventLoop
import dev.carillon.loop.EventLoopOptions
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNotNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.ByteBuffer
import java.time.Duration
import java.util.concurrent.ConcurrentHashMap
import kotlin.time.Duration.Companion.hours

// r[verify kt.dispatcher]

/** A loop that an error of the VM ends: no coroutine of it waits for ever, and nobody who waits for one. */
class FailedLoopTest : LoopCase() {
    private val failing: EventLoop by lazy {
        val options = EventLoopOptions.builder().name("failing").errorHandler { _, _ -> }
        closeLater(EventLoop.open(options.build()).start())
    }
    private val cleanedOn = ConcurrentHashMap<String, String>()

    private fun CoroutineScope.waits(
        name: String,
        wait: suspend () -> Unit,
    ): Job =
        launch {
            try {
                wait()
            } finally {
                cleanedOn[name] = Thread.currentThread().name
            }
        }

    @Test
    fun whoeverWaitsIsCancelledAndCleansUpElsewhere() =
        within {
            val (left, _) = pair(failing)
            val command = CompletableDeferred<Unit>()
            val scope = CoroutineScope(failing.dispatcher + SupervisorJob())
            val jobs =
                mapOf<String, suspend () -> Unit>(
                    "delay" to { delay(1.hours) },
                    "sleep" to { failing.sleep(1.hours) },
                    "read" to { left.readSome(ByteBuffer.allocate(1)) },
                    "timeout" to { withTimeout(1.hours) { awaitCancellation() } },
                    "command" to { command.await() },
                ).map { (name, wait) -> name to scope.waits(name, wait) }
            withContext(failing.dispatcher) { }
            fail(scope)
            command.complete(Unit)
            for ((name, job) in jobs) {
                assertNotNull(withTimeoutOrNull(LIMIT / 2) { job.join() }, "$name still waits")
                assertTrue(job.isCancelled, name)
                assertTrue(cleanedOn[name].orEmpty().startsWith("DefaultDispatcher-worker")) { "$name: $cleanedOn" }
            }
        }

    @Test
    fun whatWasDispatchedBeforeTheErrorRunsAndWhoeverAwaitsItGoesOn() =
        within {
            val scope = CoroutineScope(failing.dispatcher + SupervisorJob())
            var begun = 0
            var dispatched = emptyList<Job>()
            failing.execute {
                dispatched = List(100) { scope.launch { begun++.also { yield() } } }
                throw InternalError("planted")
            }
            failing.awaitTermination(Duration.ofSeconds(20))
            dispatched.forEach {
                assertNotNull(
                    withTimeoutOrNull(LIMIT / 2) { it.join() },
                    "it was accepted and never ran",
                )
            }
            assertEquals(100, dispatched.size)
            assertEquals(100, begun)
        }

    @Test
    fun aTimeoutOutsideCompletes() =
        within {
            val outcome =
                withTimeoutOrNull(LIMIT / 2) {
                    runCatching {
                        withContext(failing.dispatcher) {
                            failing.execute { throw InternalError("planted") }
                            delay(1.hours)
                        }
                    }
                }
            assertTrue(outcome?.exceptionOrNull() is kotlinx.coroutines.CancellationException) { "$outcome" }
        }

    private fun fail(scope: CoroutineScope) {
        failing.execute { throw InternalError("planted, $scope") }
        assertTrue(failing.awaitTermination(Duration.ofSeconds(20)))
    }
}
