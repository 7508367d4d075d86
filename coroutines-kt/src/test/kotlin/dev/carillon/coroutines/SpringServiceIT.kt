package dev.carillon.coroutines

import dev.carillon.Signal.SIGINT
import dev.carillon.Signal.SIGTERM
import dev.carillon.loop.EventLoop
import dev.carillon.loop.ExitHold
import dev.carillon.test.ChildJvm
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.DisposableBean
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import java.time.Duration
import kotlin.system.exitProcess
import kotlin.time.Duration.Companion.milliseconds

/** The recipe for services of Spring Boot: loops serve the beans to their end, and main decides the exit code. */
class SpringServiceIT {
    // r[verify kt.interop]
    @Test
    fun beansCleanUpOnTheLoopAndTheExitCodeTellsTheSignal() {
        for ((signal, code) in mapOf("TERM" to 143, "INT" to 130)) {
            ChildJvm.of(Main::class.java).start().use { child ->
                child.awaitLine("serves", PATIENCE)
                child.send(signal)
                child.awaitLine("cleaned up on the loop", PATIENCE)
                assertEquals(code, child.awaitExit(PATIENCE).code())
            }
        }
    }

    object Main {
        @JvmStatic
        fun main(arguments: Array<String>) = serve()
    }

    private companion object {
        private val PATIENCE: Duration = Duration.ofSeconds(60)
    }
}

// region service
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class ServiceBeans {
    /** When the VM exits, loops go on until this is closed: the last bean that Spring destroys. */
    @Bean
    fun exitHold(): ExitHold = EventLoop.holdExit(Duration.ofSeconds(10))

    /** The thread of a loop is no daemon, so somebody has to close it: Spring does, after the beans that use it. */
    @Bean
    fun loop(hold: ExitHold): EventLoop = EventLoop.open().start()

    @Bean
    fun worker(loop: EventLoop): Worker = Worker(loop)
}

fun serve() {
    val context = SpringApplicationBuilder(ServiceBeans::class.java).run()
    val signal =
        runBlocking {
            prepareSignals(SIGTERM, SIGINT)
            println("serves ${context.displayName}")
            awaitAnySignal(SIGTERM, SIGINT).signal()
        }
    // Spring's shutdown hook destroys the beans.
    exitProcess(128 + signal.number())
}
// endregion

/** Still needs its loop when it is destroyed. */
class Worker(
    private val loop: EventLoop,
) : DisposableBean {
    override fun destroy() {
        runBlocking { loop.sleep(20.milliseconds) }
        println("cleaned up on the loop")
    }
}
