package dev.carillon.coroutines

import dev.carillon.Signal
import dev.carillon.Signal.SIGHUP
import dev.carillon.Signal.SIGTERM
import dev.carillon.signal.SignalService
import dev.carillon.signal.Signals
import dev.carillon.test.ChildJvm
import dev.carillon.test.ChildProcess
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import java.time.Duration
import kotlin.time.Duration.Companion.seconds

/** The guard of what nobody claims against flows, with its real limit of 5 s; the children run side by side. */
class SignalFlowGuardIT {
    // r[verify signal.unclaimed]
    @Test
    fun aFlowClaimsItsSignalsFromItsFirstWaitToItsEnd() {
        start("reload", SIGHUP).use { reload ->
            start("first", SIGTERM).use { first ->
                start("cancel", SIGTERM).use { cancel ->
                    for (child in listOf(reload, first, cancel)) child.awaitLine("works", LIMIT)
                    reload.send("HUP")
                    first.send("TERM")
                    cancel.send("TERM")
                    assertEquals(143, cancel.awaitExit(LIMIT).code(), "nobody is left who listens")
                    reload.awaitLine("got 2", LIMIT)
                    first.awaitLine("got 2", LIMIT)
                    for (child in listOf(reload, first)) assertEquals(0, child.awaitExit(LIMIT).code())
                }
            }
        }
    }

    private fun start(
        way: String,
        signal: Signal,
    ): ChildProcess = ChildJvm.of(Works::class.java).args(way, signal.name()).start()

    /** Gets one from itself and works on it for longer than the guard waits, while another one comes. */
    internal object Works {
        private val pid = ProcessHandle.current().pid().toInt()

        @JvmStatic
        fun main(args: Array<String>): Unit =
            runBlocking {
                val signal = Signal.named(args[1])
                when (args[0]) {
                    "reload" -> reload(signal)
                    "first" -> takeFirst(signal)
                    else -> cancelWhileItWorks(signal)
                }
                Runtime.getRuntime().halt(0)
            }

        private suspend fun reload(signal: Signal) {
            var count = 0
            SignalService.shared().awaitSignalOrNull(signal, kotlin.time.Duration.ZERO)
            Signals.send(pid, signal)
            signals(signal).first {
                println(if (++count == 1) "works" else "got $count")
                if (count == 1) delay(7.seconds)
                count == 2
            }
        }

        private suspend fun takeFirst(signal: Signal) {
            SignalService.shared().awaitSignalOrNull(signal, kotlin.time.Duration.ZERO)
            Signals.send(pid, signal)
            signals(signal).first()
            println("works")
            delay(7.seconds)
            awaitSignal(signal)
            println("got 2")
        }

        private suspend fun cancelWhileItWorks(signal: Signal) {
            SignalService.shared().awaitSignalOrNull(signal, kotlin.time.Duration.ZERO)
            Signals.send(pid, signal)
            runBlocking {
                val works = CompletableDeferred<Unit>()
                val collecting =
                    launch(start = CoroutineStart.UNDISPATCHED) {
                        signals(signal).collect {
                            works.complete(Unit)
                            awaitCancellation()
                        }
                    }
                works.await()
                collecting.cancelAndJoin()
            }
            println("works")
            awaitCancellation()
        }
    }

    private companion object {
        val LIMIT: Duration = Duration.ofSeconds(60)
    }
}
