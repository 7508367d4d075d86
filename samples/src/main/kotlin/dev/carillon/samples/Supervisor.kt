package dev.carillon.samples

import dev.carillon.Signal.SIGINT
import dev.carillon.Signal.SIGTERM
import dev.carillon.coroutines.awaitAnySignal
import dev.carillon.coroutines.awaitExitOrEnd
import dev.carillon.coroutines.dispatcher
import dev.carillon.coroutines.sleep
import dev.carillon.loop.EventLoop
import dev.carillon.process.Spawn
import dev.carillon.samples.words.Word
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlin.system.exitProcess
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** Keeps children alive: starts those anew that die. When it is cancelled, it hands on TERM and waits for their end. */
class Supervisor(
    private val loop: EventLoop,
    private val command: Spawn.Builder,
) {
    suspend fun keepOneAlive(name: String): Nothing {
        while (true) {
            val child = command.start(loop)
            println("$name is pid ${child.pid()}")
            println("$name ended: ${child.awaitExitOrEnd(grace = 5.seconds)}")
            loop.sleep(100.milliseconds) // one that dies at once is not started a thousand times a second
        }
    }
}

fun main(arguments: Array<String>) {
    val words = arguments.toList().ifEmpty { listOf("sleep", "3600") }
    if (!Word.fit("supervisor [PROGRAM [WORD ...]]", arrayOf(words[0]), Word.PROGRAM)) exitProcess(2)
    EventLoop.open().start().use { loop ->
        val supervisor = Supervisor(loop, Spawn.command(words))
        runBlocking {
            withContext(loop.dispatcher) {
                val end = launch(start = CoroutineStart.UNDISPATCHED) { announce(loop) }
                val children = launch { for (i in 1..3) launch { supervisor.keepOneAlive("child $i") } }
                end.join()
                children.cancelAndJoin()
                println("all children have ended")
            }
        }
    }
}

private suspend fun announce(loop: EventLoop) {
    val info = loop.awaitAnySignal(SIGTERM, SIGINT)
    println("${info.signal()} from pid ${info.pid()}: ending the children")
}
