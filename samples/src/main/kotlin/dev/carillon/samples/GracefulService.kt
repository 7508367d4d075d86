package dev.carillon.samples

import com.networknt.schema.SchemaRegistry
import com.sun.net.httpserver.HttpServer
import dev.carillon.admin.Authenticator
import dev.carillon.admin.SignalEndpoint
import dev.carillon.coroutines.runService
import dev.carillon.samples.words.Word
import kotlinx.coroutines.awaitCancellation
import tools.jackson.databind.json.JsonMapper
import java.io.File
import java.net.InetSocketAddress
import java.util.concurrent.Executors

/** Greets by HTTP until TERM or Ctrl-C. HUP looks at the settings again, and ends it if they are good. */
fun main(arguments: Array<String>) {
    if (!Word.fit("graceful-service [SETTINGS]", arguments, Word.FILE)) System.exit(2)
    val file = File(arguments.firstOrNull() ?: "samples/graceful-service/service.json")
    val rules = SchemaRegistry.builder().build().getSchema(ClassLoader.getSystemResourceAsStream("service.schema.json"))
    val read = { JsonMapper.shared().readTree(file).also { rules.validate(it).forEach { fault -> error("$fault") } } }
    val settings = read()
    val server = HttpServer.create(InetSocketAddress(settings["host"].asString(), settings["port"].asInt()), 0)
    val requests = Executors.newFixedThreadPool(8).also { server.executor = it }
    server.createContext("/") { exchange ->
        val greeting = "${settings["greeting"].asString()}, ${exchange.requestBody.reader().readText()}\n".toByteArray()
        exchange.sendResponseHeaders(200, greeting.size.toLong())
        exchange.use { it.responseBody.write(greeting) }
    }
    runService {
        onReload("settings") { read() }
        onStopAccepting("listener") { Thread { server.stop(60) }.start() } // closes the port; the drain waits, not this
        lifecycle.onDrain("requests", requests)
        val token = Authenticator.bearer("operator", System.getenv("ADMIN_TOKEN") ?: error("ADMIN_TOKEN is not set"))
        val endpoint = SignalEndpoint.builder(lifecycle).port(settings["adminPort"].asInt())
        val admin = endpoint.authenticator(token).start().also { onShutdown("admin endpoint", it::close) }
        server.start().also { ready() }
        println("pid=${ProcessHandle.current().pid()} port=${server.address.port} admin=${admin.uri()}")
        awaitCancellation()
    }
}
