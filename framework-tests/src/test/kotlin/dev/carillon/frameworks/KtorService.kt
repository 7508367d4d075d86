package dev.carillon.frameworks

import dev.carillon.coroutines.runService
import dev.carillon.lifecycle.Lifecycle
import io.ktor.http.HttpHeaders
import io.ktor.http.HttpStatusCode
import io.ktor.server.application.Application
import io.ktor.server.application.ApplicationCallPipeline
import io.ktor.server.application.ApplicationStopping
import io.ktor.server.application.call
import io.ktor.server.cio.CIO
import io.ktor.server.engine.ApplicationEngineFactory
import io.ktor.server.engine.embeddedServer
import io.ktor.server.netty.Netty
import io.ktor.server.response.header
import io.ktor.server.response.respond
import io.ktor.server.response.respondBytes
import io.ktor.server.response.respondText
import io.ktor.server.routing.get
import io.ktor.server.routing.routing
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.update
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import java.io.File
import java.time.Duration
import kotlin.system.exitProcess
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource

// region service
fun serve(
    engine: ApplicationEngineFactory<*, *>,
    port: Int,
) = runService(configure = { timeout(Duration.ofSeconds(60)) }) {
    val calls = Calls()
    val server =
        embeddedServer(engine, port, host = "127.0.0.1") {
            intercept(ApplicationCallPipeline.Setup) {
                if (!calls.during { proceed() }) {
                    call.response.header(HttpHeaders.Connection, "close")
                    call.respond(HttpStatusCode.ServiceUnavailable)
                    finish()
                }
            }
            routes(lifecycle)
        }
    onStopAccepting("calls") { calls.drain() }
    onStopAccepting("server") { server.stop(gracePeriodMillis = 0, timeoutMillis = 5_000) }
    server.startSuspend()
    calls.ports = server.engine.resolvedConnectors().map { it.port }
    ready()
    awaitCancellation()
}

/** The calls that are being answered, and the answers that are on their way. */
class Calls {
    /** Where the calls come in. */
    @Volatile var ports = emptyList<Int>()

    private val running = MutableStateFlow(0)

    @Volatile private var areTaken = true

    @Volatile private var lastAnswer = TimeSource.Monotonic.markNow()

    /** Runs the block, unless no calls are taken any more. */
    suspend fun during(block: suspend () -> Unit): Boolean {
        // Counted first: who drains either sees this call, or is seen by it.
        running.update { it + 1 }
        val isTaken = areTaken
        try {
            if (isTaken) block()
            return isTaken
        } finally {
            if (isTaken) lastAnswer = TimeSource.Monotonic.markNow()
            running.update { it - 1 }
        }
    }

    /** Takes no calls any more, waits for those that run, and then until clients have their answers. */
    suspend fun drain() {
        areTaken = false
        running.first { it == 0 }
        // The engine brings an answer to the kernel in this time, unless a slow client has left no room there.
        delay(1.seconds - lastAnswer.elapsedNow())
        val slow = unsent().keys
        if (slow.isEmpty()) return
        var left = emptyMap<String, String>()
        var since = TimeSource.Monotonic.markNow()
        while (since.elapsedNow() < if (left.isEmpty()) 1.seconds else 5.seconds) {
            val now = unsent().filterKeys { it in slow }
            if (now != left) since = TimeSource.Monotonic.markNow()
            left = now
            delay(50.milliseconds)
        }
    }

    /** What clients have not got yet of what the kernel has: their addresses, and how much. */
    private fun unsent(): Map<String, String> =
        listOf("/proc/net/tcp", "/proc/net/tcp6")
            .map(::File)
            .filter { it.exists() }
            .flatMap { it.readLines().drop(1) }
            .map { it.trim().split(' ') }
            .filter { (_, local) -> local.substringAfter(':').toInt(16) in ports }
            // Those that are open for what the engine may have.
            .filter { it[3] == "01" || it[3] == "08" }
            .associate { it[2] to it[4].substringBefore(':') }
            .filterValues { it != "00000000" }
}
// endregion

/** No step of the lifecycle stops the server: Ktor's own hook does. */
fun serveAlone(engine: ApplicationEngineFactory<*, *>) {
    val lifecycle = Lifecycle.builder().haltAfter(Work.HALT_AFTER).build()
    lifecycle.start()
    val server = embeddedServer(engine, 0, host = "127.0.0.1") { routes(lifecycle) }
    runBlocking {
        server.startSuspend()
        awaitCancellation()
    }
}

/** What the service does, and what tells the test of its end. */
private fun Application.routes(lifecycle: Lifecycle) {
    Work.addHooks(lifecycle)
    Work.listen()
    launch { println("port=${engine.resolvedConnectors().first().port}") }
    monitor.subscribe(ApplicationStopping) {
        Work.tell("the application stops")
        if (java.lang.Boolean.getBoolean("hook.exits")) exitProcess(Work.CODE_OF_PROGRAM)
    }
    routing {
        get("/") { call.respondText(Work.ANSWER) }
        get("/slow") { call.respondText(withContext(Dispatchers.IO) { Work.slowly() }) }
        get("/large") {
            call.respondBytes(ByteArray(Work.LARGE))
            Work.tell(Work.LARGE_ANSWERED)
        }
        get("/leave") {
            lifecycle.exit(Work.CODE_OF_PROGRAM)
            call.respondText(Work.ANSWER)
        }
    }
}

object KtorService {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val engine = if (arguments[0] == "CIO") CIO else Netty
        if (arguments[1] == Way.HOOK_ALONE.name) serveAlone(engine) else serve(engine, 0)
    }
}
