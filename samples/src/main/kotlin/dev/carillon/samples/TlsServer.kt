package dev.carillon.samples

import dev.carillon.coroutines.awaitExit
import dev.carillon.coroutines.connections
import dev.carillon.coroutines.dispatcher
import dev.carillon.io.ServerSocket
import dev.carillon.io.StreamSocket
import dev.carillon.loop.EventLoop
import dev.carillon.process.Spawn
import dev.carillon.samples.words.Word
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import java.io.IOException
import java.net.InetSocketAddress
import java.nio.ByteBuffer
import java.nio.file.Files
import java.nio.file.Path
import java.security.KeyStore
import javax.net.ssl.KeyManagerFactory
import javax.net.ssl.SSLContext
import javax.net.ssl.SSLEngine
import kotlin.system.exitProcess
import kotlin.time.Duration.Companion.seconds

/** Answers requests of HTTP/1.1 over TLS, many at a time on one thread. Try it with `curl --cacert`, see [main]. */
class TlsServer(
    private val context: SSLContext,
) {
    suspend fun serve(server: ServerSocket): Unit =
        supervisorScope {
            server.connections().collect { launch { it.use { socket -> answerOrTell(socket) } } }
        }

    private suspend fun answerOrTell(socket: StreamSocket) {
        try {
            withTimeoutOrNull(30.seconds) { answer(TlsStream(socket, engine())) } ?: println("a client took too long")
        } catch (failure: IOException) {
            println("a client was turned away: ${failure.message}")
        } catch (failure: RuntimeException) {
            println("a client was cut off: ${failure.message}")
        }
    }

    private fun engine(): SSLEngine =
        context.createSSLEngine().apply {
            useClientMode = false
            sslParameters = sslParameters.apply { applicationProtocols = arrayOf("http/1.1") }
        }

    private suspend fun answer(stream: TlsStream) {
        stream.handshake()
        val words = request(stream)?.split(' ') ?: return
        val body = body(words.getOrElse(1) { "/" }, stream)
        val head = "HTTP/1.1 200 OK\r\nContent-Length: ${body.size}\r\nConnection: close\r\n\r\n"
        stream.writeAll(ByteBuffer.wrap(head.toByteArray()))
        stream.writeAll(ByteBuffer.wrap(body))
        stream.end()
    }

    /** The first line, once the whole head has come; null if it does not come, or is too long. */
    private suspend fun request(stream: TlsStream): String? {
        val head = ByteBuffer.allocate(8192)
        while (head.hasRemaining() && stream.readSome(head) >= 0) {
            val text = String(head.array(), 0, head.position(), Charsets.US_ASCII)
            if ("\r\n\r\n" in text) return text.substringBefore("\r\n")
        }
        return null
    }

    /** `/bytes/N` has N bytes; all else tells how both sides talk. */
    private fun body(
        path: String,
        stream: TlsStream,
    ): ByteArray {
        val count = path.substringAfter("/bytes/", "").toIntOrNull()
        return if (count != null && count in 0..MOST) {
            ByteArray(count) { (it % 251).toByte() }
        } else {
            "hello over ${stream.version} and ${stream.protocol}\n".toByteArray()
        }
    }

    private companion object {
        const val MOST = 100_000_000
    }
}

private const val PASSWORD = "changeit"

/** Has the JDK make a key, and a certificate of it that nobody has signed but itself, for this machine. */
private suspend fun makeKey(
    loop: EventLoop,
    store: Path,
    certificate: Path,
) {
    val keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString()
    val common = arrayOf("-alias", "server", "-keystore", "$store", "-storepass", PASSWORD)
    val kind = arrayOf("-keyalg", "EC", "-dname", "CN=localhost", "-ext", "SAN=dns:localhost,ip:127.0.0.1")
    for (words in listOf(
        arrayOf("-genkeypair", *kind, *common),
        arrayOf("-exportcert", "-rfc", "-file", "$certificate", *common),
    )) {
        val exit = Spawn.command(keytool, *words).start(loop).awaitExit()
        check(exit.isSuccess) { "keytool ${words[0]} ended with $exit" }
    }
}

private fun context(store: Path): SSLContext {
    val keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray())
    val managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm())
    managers.init(keys, PASSWORD.toCharArray())
    return SSLContext.getInstance("TLS").apply { init(managers.keyManagers, null, null) }
}

fun main(arguments: Array<String>) {
    if (!Word.fit("tls-server [PORT [FOLDER]]", arguments, Word.PORT, Word.FOLDER)) exitProcess(2)
    val folder = Path.of(arguments.getOrNull(1) ?: "/tmp")
    val store = folder.resolve("carillon-tls.p12")
    val certificate = folder.resolve("carillon-tls.pem")
    EventLoop.open().start().use { loop ->
        runBlocking {
            withContext(loop.dispatcher) {
                if (!Files.exists(store)) makeKey(loop, store, certificate)
                ServerSocket.bind(loop, InetSocketAddress("127.0.0.1", arguments.firstOrNull()?.toInt() ?: 8443)).use {
                    val port = (it.localAddress() as InetSocketAddress).port
                    println("try: curl --cacert $certificate https://localhost:$port/")
                    TlsServer(context(store)).serve(it)
                }
            }
        }
    }
}
