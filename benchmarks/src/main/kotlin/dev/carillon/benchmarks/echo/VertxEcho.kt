package dev.carillon.benchmarks.echo

import dev.carillon.benchmarks.worker.Stage
import io.vertx.core.Vertx
import io.vertx.core.VertxOptions
import io.vertx.core.net.NetServerOptions
import io.vertx.core.net.NetSocket
import io.vertx.kotlin.coroutines.coAwait
import io.vertx.kotlin.coroutines.dispatcher
import io.vertx.kotlin.coroutines.toReceiveChannel
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.launch
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit

/** Vert.x with its own coroutines, on one event loop of its native transport. */
internal class VertxEcho(
    stage: Stage,
) : EchoServer {
    private val vertx: Vertx = Vertx.vertx(VertxOptions().setEventLoopPoolSize(1).setPreferNativeTransport(true))
    private val port: Int

    init {
        if (!vertx.isNativeTransportEnabled) {
            throw UnsupportedOperationException(
                "Vert.x has no native transport: " + vertx.unavailableNativeTransportCause(),
            )
        }
        val context = vertx.orCreateContext
        val started = CompletableFuture<Int>()
        context.runOnContext {
            stage.pinFirst()
            val scope = CoroutineScope(SupervisorJob() + context.dispatcher())
            vertx
                .createNetServer(
                    NetServerOptions()
                        .setHost("127.0.0.1")
                        .setPort(0)
                        .setAcceptBacklog(4096)
                        .setTcpNoDelay(true),
                ).connectHandler { socket -> scope.launch { serve(socket) } }
                .listen()
                .onComplete({ started.complete(it.actualPort()) }, started::completeExceptionally)
        }
        port = started.get(PATIENCE_SECONDS, TimeUnit.SECONDS)
    }

    private suspend fun serve(socket: NetSocket) {
        socket.exceptionHandler {
            // The load resets its connections when it ends.
        }
        for (message in socket.toReceiveChannel(vertx)) {
            socket.write(message).coAwait()
        }
    }

    override fun address(): String = "tcp:$port"

    override fun close() {
        vertx
            .close()
            .toCompletionStage()
            .toCompletableFuture()
            .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
    }

    private companion object {
        private const val PATIENCE_SECONDS = 10L
    }
}
