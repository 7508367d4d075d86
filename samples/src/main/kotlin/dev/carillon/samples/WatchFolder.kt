package dev.carillon.samples

import dev.carillon.coroutines.awaitReadable
import dev.carillon.coroutines.dispatcher
import dev.carillon.io.Inotify
import dev.carillon.io.Inotify.Change
import dev.carillon.loop.EventLoop
import dev.carillon.samples.words.Word
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import java.nio.file.Path
import kotlin.system.exitProcess

// region changes

/** What changes in a folder, as a flow: any descriptor can be waited for, here one of inotify(7). */
fun changes(folder: Path): Flow<Change> =
    flow {
        Inotify.open().use { watch ->
            watch.add(folder)
            println("watching $folder")
            while (true) {
                awaitReadable(watch.number())
                watch.poll().forEach { emit(it) }
            }
        }
    }

// endregion

fun main(arguments: Array<String>) {
    if (!Word.fit("watch-folder [FOLDER [CHANGES]]", arguments, Word.FOLDER, Word.COUNT)) exitProcess(2)
    EventLoop.open().start().use { loop ->
        val folder = Path.of(arguments.firstOrNull() ?: ".")
        val most = arguments.getOrNull(1)?.toInt() ?: Int.MAX_VALUE
        runBlocking {
            withContext(loop.dispatcher) {
                changes(folder).take(most).collect { println("${it.kind()} ${it.path()}") }
            }
        }
    }
}
