package dev.carillon.samples

import dev.carillon.coroutines.dispatcher
import dev.carillon.coroutines.openFile
import dev.carillon.coroutines.pollPriority
import dev.carillon.coroutines.readAt
import dev.carillon.coroutines.writeAll
import dev.carillon.io.FileHandle
import dev.carillon.loop.EventLoop
import dev.carillon.samples.words.Word
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import java.nio.ByteBuffer
import java.nio.file.Path
import java.nio.file.StandardOpenOption.READ
import java.nio.file.StandardOpenOption.WRITE
import kotlin.system.exitProcess

// region pressure

/**
 * Tells each time tasks have waited for a resource for more than a tenth of two seconds: /proc/pressure/memory, io or cpu, or the
 * memory.pressure of a control group. A service that is told can give caches back before the kernel kills it.
 */
suspend fun watchPressure(
    file: FileHandle,
    told: suspend (String) -> Unit,
) {
    // The kernel takes the last byte for the end of the text.
    file.writeAll(ByteBuffer.wrap("some 200000 2000000\u0000".toByteArray()))
    val figures = ByteBuffer.allocate(256)
    while (true) {
        file.pollPriority()
        file.readAt(figures.clear(), 0)
        told(String(figures.array(), 0, figures.position()).lineSequence().first())
    }
}

// endregion

fun main(arguments: Array<String>) {
    if (!Word.fit("pressure-watch [FILE]", arguments, Word.FILE)) exitProcess(2)
    val path = Path.of(arguments.firstOrNull() ?: "/proc/pressure/memory")
    EventLoop.open().start().use { loop ->
        runBlocking {
            withContext(loop.dispatcher) {
                loop.openFile(path, READ, WRITE).use { file ->
                    println("watching $path")
                    watchPressure(file) { println(it) }
                }
            }
        }
    }
}
