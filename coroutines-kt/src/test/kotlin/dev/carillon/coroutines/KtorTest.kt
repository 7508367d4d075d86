package dev.carillon.coroutines

import dev.carillon.io.StreamSocket
import dev.carillon.loop.EventLoop
import io.ktor.server.application.Application
import io.ktor.server.cio.CIO
import io.ktor.server.engine.embeddedServer
import io.ktor.server.response.respondText
import io.ktor.server.routing.get
import io.ktor.server.routing.routing
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.withContext
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.ByteBuffer
import kotlin.time.Duration.Companion.microseconds

/** Handlers of a Ktor server that wait for our loop. */
class KtorTest : LoopCase() {
    // r[verify kt.interop]
    @Test
    fun handlersOfKtorsServerSuspendOnOurLoop() =
        within {
            val server = embeddedServer(CIO, port = 0, host = "127.0.0.1") { echo(loop) }
            server.startSuspend()
            try {
                val port =
                    server.engine
                        .resolvedConnectors()
                        .single()
                        .port
                coroutineScope {
                    List(50) { number -> async { loop.httpGet(port, "/echo/$number") } }
                        .awaitAll()
                        .forEachIndexed { number, answer ->
                            assertTrue(answer.endsWith("\r\n\r\necho $number on ${loop.name()}"), answer)
                        }
                }
            } finally {
                server.stopSuspend(0, 1_000)
            }
        }

    private fun Application.echo(loop: EventLoop) {
        routing {
            get("/echo/{text}") {
                val pair = StreamSocket.pair(loop)
                val text = "echo ${call.parameters["text"]}"
                pair[0].use { it.writeAll(bytes(text)) }
                loop.sleep(100.microseconds)
                val buffer = ByteBuffer.allocate(64)
                pair[1].use { it.readSome(buffer) }
                val name = withContext(loop.dispatcher) { EventLoop.current().name() }
                call.respondText("${text(buffer)} on $name")
            }
        }
    }
}
