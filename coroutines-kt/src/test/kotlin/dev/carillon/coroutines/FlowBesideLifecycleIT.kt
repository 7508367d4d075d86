package dev.carillon.coroutines

import dev.carillon.Signal.SIGUSR1
import dev.carillon.lifecycle.Lifecycle
import dev.carillon.signal.SignalService
import dev.carillon.signal.Signals
import dev.carillon.test.ChildJvm
import dev.carillon.test.Deadline
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import java.time.Duration
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit

/** A lifecycle has the signal, and a flow collects it, too. */
class FlowBesideLifecycleIT {
    // r[verify signal.lend] r[verify kt.await-signal]
    @ParameterizedTest
    @ValueSource(strings = ["flow first", "lifecycle first"])
    fun aFlowGetsEachSignalThatTheLifecycleGetsHoweverSlowItsCollectorIs(order: String) {
        ChildJvm.of(Both::class.java).args(order).start().use { child ->
            val exit = child.awaitExit(LIMIT)
            assertEquals(0, exit.code(), exit::toString)
            assertEquals(listOf("handled 20, collected 20"), exit.stdout(), exit::toString)
        }
    }

    /** Sends itself twenty, each when the handler has seen the one before; the collector begins its work when all are sent. */
    internal object Both {
        private const val COUNT = 20
        private val pid = ProcessHandle.current().pid().toInt()

        @JvmStatic
        fun main(args: Array<String>): Unit = Nudges().use { runBlocking { sendAndCollect(args[0]) } }

        private suspend fun CoroutineScope.sendAndCollect(order: String) {
            val handled = LinkedBlockingQueue<Int>()
            val lifecycle = Lifecycle.builder().build()
            lifecycle.handle(SIGUSR1) { handled.add(it.pid()) }
            if (order == "lifecycle first") lifecycle.start()
            val goOn = Channel<Unit>(COUNT)
            var collected = 0
            val flow =
                launch(Dispatchers.Default) {
                    signals(SIGUSR1).take(COUNT).collect {
                        goOn.receive()
                        collected++
                    }
                }
            awaitWaiter()
            if (order == "flow first") lifecycle.start()
            repeat(COUNT) {
                Signals.send(pid, SIGUSR1)
                checkNotNull(handled.poll(LIMIT.toSeconds(), TimeUnit.SECONDS)) { "the handler saw $it" }
            }
            repeat(COUNT) { goOn.send(Unit) }
            flow.join()
            println("handled $COUNT, collected $collected")
        }

        private fun awaitWaiter() {
            val service = SignalService.shared()
            Deadline.after(LIMIT).await("the flow waits") { service.stats().waiting() == 1 }
        }
    }

    private companion object {
        val LIMIT: Duration = Duration.ofSeconds(60)
    }
}
