package dev.carillon.samples

import dev.carillon.Signal.SIGINT
import dev.carillon.Signal.SIGTERM
import dev.carillon.coroutines.acceptChannel
import dev.carillon.coroutines.awaitAnySignal
import dev.carillon.coroutines.dispatcher
import dev.carillon.coroutines.frames
import dev.carillon.coroutines.prepareSignals
import dev.carillon.coroutines.send
import dev.carillon.coroutines.sleep
import dev.carillon.loop.EventLoop
import dev.carillon.process.Spawn
import dev.carillon.samples.words.Word
import dev.carillon.shm.AsyncChannel
import dev.carillon.shm.AsyncLink
import dev.carillon.shm.Frame
import dev.carillon.shm.LinkConfig
import dev.carillon.shm.SendResult.SENT
import dev.carillon.shm.ShmChannel
import dev.carillon.shm.ShmGuest
import dev.carillon.shm.ShmHost
import kotlinx.coroutines.CoroutineStart.UNDISPATCHED
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import kotlin.system.exitProcess
import kotlin.time.Duration.Companion.seconds

private const val READING = 1
private const val BYTES = 64

/** So many frames are under way at most: then the guest has no credit, and waits. */
private const val AHEAD = 32

/** A guest sends as fast as it can, and its frames are collected as slowly as you like; ends with SIGTERM or Ctrl-C. */
class ShmFlow(
    private val loop: EventLoop,
    private val perSecond: Int,
) {
    private var collected = 0
    private var nextId = 0L
    private var waited = 0L

    // region collect
    suspend fun collect(link: AsyncLink) {
        val readings = link.acceptChannel()?.frames() ?: return
        readings
            .onEach { loop.sleep(1.seconds / perSecond) } // meanwhile nothing is granted anew, and the guest waits
            .collect { count(it) }
    }
    // endregion

    private fun count(frame: Frame) {
        check(frame.id() == nextId++) { "$frame is not frame ${nextId - 1}" }
        collected++
        waited = frame.getLong(0)
    }

    suspend fun printRates() {
        while (true) {
            val before = waited
            collected = 0
            loop.sleep(1.seconds)
            val percent = (waited - before) / 10_000_000
            println("$collected frames/s collected, at most $AHEAD ahead; the sender waited $percent % of the time")
        }
    }
}

// region send

/** Sends frames without end, each with the time that all sends before it have waited for credit. */
private suspend fun sendReadings(channel: AsyncChannel) {
    val bytes = ByteBuffer.allocate(BYTES).order(ByteOrder.nativeOrder())
    var waited = 0L
    var id = 0L
    do {
        bytes.putLong(0, waited)
        val start = System.nanoTime()
        val result = channel.send(Frame.of(READING, id++, bytes)) // suspends while there is no credit
        waited += System.nanoTime() - start
    } while (result == SENT)
}

// endregion

fun main(arguments: Array<String>) {
    if (arguments.contentEquals(arrayOf("guest"))) {
        return guest()
    }
    if (!Word.fit("shm-flow [PER_SECOND]", arguments, Word.COUNT)) exitProcess(2)
    val window = AHEAD * ShmChannel.cost(BYTES)
    EventLoop.open().start().use { loop ->
        runBlocking { withContext(loop.dispatcher) { prepareSignals(SIGTERM, SIGINT) } }
        val guest =
            ShmHost.create().use { host ->
                val ticket = host.addPeer(LinkConfig.builder().window(window).build())
                val guest = host.spawn(guestCommand(), ticket)
                println("flow pid=${ProcessHandle.current().pid()} guest pid=${guest.pid()}")
                val flow = ShmFlow(loop, arguments.firstOrNull()?.toInt() ?: 200)
                runBlocking(loop.dispatcher) { untilSignal(flow, ticket.link().onLoop(loop)) }
                guest
            } // says goodbye to the guest
        guest.exit().get(10, TimeUnit.SECONDS)
        println("the guest has left")
    }
}

private suspend fun untilSignal(
    flow: ShmFlow,
    link: AsyncLink,
) = withContext(link.loop().dispatcher) {
    val end = async(start = UNDISPATCHED) { awaitAnySignal(SIGTERM, SIGINT) }
    val rates = launch { flow.printRates() }
    val collecting =
        launch {
            flow.collect(link)
            println("the guest has ended by itself")
            end.cancel()
        }
    end.join()
    if (!end.isCancelled) println("${end.await().signal()}: ending")
    rates.cancelAndJoin()
    collecting.cancelAndJoin()
}

private fun guest() {
    EventLoop.open().start().use { loop ->
        ShmGuest.attachFromEnvironment().use { link ->
            runBlocking(loop.dispatcher) { sendReadings(link.onLoop(loop).openChannel()) }
        }
    }
}

private fun guestCommand(): Spawn.Builder {
    val java = Path.of(System.getProperty("java.home"), "bin", "java").toString()
    return Spawn
        .command(java, "--enable-native-access=ALL-UNNAMED", "dev.carillon.samples.ShmFlowKt", "guest")
        .environment("CLASSPATH", System.getProperty("java.class.path"))
}
