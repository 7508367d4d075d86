package dev.carillon.coroutines

import dev.carillon.loop.EventLoop
import dev.carillon.test.ChildJvm
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.withTimeoutOrNull
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import java.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/** In a VM of its own, since other tests make the thread on which the delays of other dispatchers run. */
class DelayThreadsIT {
    // r[verify kt.dispatcher]
    @Test
    fun aVmWhoseCoroutinesWaitOnTheLoopHasNoOtherThreadForTime() {
        ChildJvm.of(OnlyTheLoop::class.java).start().use { child ->
            child.awaitLine("more threads: []", PATIENCE)
            assertEquals(0, child.awaitExit(PATIENCE).code())
        }
    }

    object OnlyTheLoop {
        @JvmStatic
        fun main(arguments: Array<String>) {
            EventLoop.open().start().use { loop ->
                val job =
                    CoroutineScope(loop.dispatcher).launch {
                        yieldOnLoop()
                        val before = names()
                        delay(3)
                        withTimeoutOrNull(3) { awaitCancellation() }
                        withTimeoutOrNull(1_000) { delay(3) }
                        loop.sleep(3.milliseconds)
                        println("more threads: ${names() - before}")
                    }
                while (!job.isCompleted) Thread.onSpinWait()
            }
        }

        /** Without those that the VM itself starts when it likes. */
        private fun names(): Set<String> =
            Thread
                .getAllStackTraces()
                .keys
                .map { it.name }
                .filter { !it.contains("Compiler") && !it.contains("Attach") }
                .toSet()
    }

    private companion object {
        private val PATIENCE: Duration = Duration.ofSeconds(30)
    }
}
