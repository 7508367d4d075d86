package dev.carillon.coroutines

import dev.carillon.io.StreamSocket
import dev.carillon.loop.EventLoop
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOn
import kotlinx.coroutines.withContext
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.springframework.boot.WebApplicationType
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.boot.web.reactive.context.ReactiveWebServerApplicationContext
import org.springframework.context.annotation.Bean
import org.springframework.web.bind.annotation.GetMapping
import org.springframework.web.bind.annotation.PathVariable
import org.springframework.web.bind.annotation.RestController
import reactor.core.scheduler.Schedulers
import java.nio.ByteBuffer
import kotlin.time.Duration.Companion.microseconds

/** Coroutine controllers of a Spring Boot application that wait for our loop. */
class SpringTest : LoopCase() {
    // r[verify kt.interop]
    @Test
    fun coroutineControllersSuspendOnOurLoop() =
        within {
            val context =
                SpringApplicationBuilder(Application::class.java)
                    .web(WebApplicationType.REACTIVE)
                    .properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off")
                    .initializers({ it.beanFactory.registerSingleton("loop", loop) })
                    .run()
            context.use {
                val port = (it as ReactiveWebServerApplicationContext).webServer.port
                coroutineScope {
                    List(50) { number -> async { loop.httpGet(port, "/echo/$number") } }
                        .awaitAll()
                        .forEachIndexed { number, answer -> assertTrue(answer.endsWith("echo $number"), answer) }
                }
                val answer = loop.httpGet(port, "/count")
                assertTrue(answer.contains("one") && answer.contains("two"), answer)
            }
            Schedulers.shutdownNow()
        }

    @EnableAutoConfiguration
    open class Application {
        @Bean
        open fun echo(loop: EventLoop) = Echo(loop)
    }

    @RestController
    class Echo(
        private val loop: EventLoop,
    ) {
        @GetMapping("/echo/{text}")
        suspend fun echo(
            @PathVariable("text") text: String,
        ): String {
            val pair = StreamSocket.pair(loop)
            return pair[0].use { left ->
                pair[1].use { right ->
                    left.writeAll(bytes("echo $text"))
                    loop.sleep(100.microseconds)
                    withContext(loop.dispatcher) { yieldOnLoop() }
                    text(ByteBuffer.allocate(64).also { right.readSome(it) })
                }
            }
        }

        @GetMapping("/count")
        fun count(): Flow<String> =
            flow {
                for (number in listOf("one", "two")) {
                    loop.sleep(100.microseconds)
                    emit(number)
                }
            }.flowOn(loop.dispatcher)
    }
}
