package dev.carillon.coroutines

import dev.carillon.test.Deadline
import kotlinx.coroutines.CoroutineExceptionHandler
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancel
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import java.time.Duration
import java.util.concurrent.ConcurrentLinkedQueue
import kotlin.time.Duration.Companion.microseconds

/** Coroutines that begin their next wait while their loop ends. */
class NextWaitTest : LoopCase() {
    // r[verify kt.end]
    @Test
    fun aCoroutineThatBeginsItsNextWaitWhileItsLoopEndsIsCancelled() =
        repeat(30) { round ->
            val ending = opened("ending $round").start()
            val uncaught = ConcurrentLinkedQueue<Throwable>()
            val dispatcher = if (round % 2 == 0) ending.dispatcher else ending.dispatcher.immediate
            val scope = CoroutineScope(SupervisorJob() + CoroutineExceptionHandler { _, thrown -> uncaught += thrown })
            val jobs =
                List(10) {
                    val channel = LoopChannel<Int>(ending)
                    listOf(
                        scope.launch(dispatcher) { while (true) channel.send(it) },
                        scope.launch(dispatcher) { while (true) channel.receive() },
                        scope.launch(dispatcher) { while (true) ending.sleep(1.microseconds) },
                    )
                }.flatten()
            val turns = ending.stats().tasks()
            Deadline.after(Duration.ofSeconds(20)).await("they run") {
                ending.stats().tasks() > turns + 100
            }
            ending.close()
            within { jobs.joinAll() }
            scope.cancel(null)
            assertEquals(emptyList<Throwable>(), uncaught.toList())
            assertEquals(emptyList<Any>(), jobs.filterNot { it.isCancelled })
        }
}
