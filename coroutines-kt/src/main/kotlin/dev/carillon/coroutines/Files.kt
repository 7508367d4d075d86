@file:JvmName("LoopFiles")

package dev.carillon.coroutines

import dev.carillon.coroutines.OperationResult.Companion.COUNT
import dev.carillon.io.FileHandle
import dev.carillon.loop.EventLoop
import java.nio.ByteBuffer
import java.nio.file.Path
import java.nio.file.StandardOpenOption

// r[impl kt.io]

private val OPENED = OperationResult.made<FileHandle> { it.close() }

/**
 * Opens a file, without options for reading; the caller closes it.
 *
 * Cancellable: a file that was opened meanwhile is closed; one that was created stays.
 *
 * @param options READ, WRITE, APPEND, CREATE, CREATE_NEW, TRUNCATE_EXISTING, SYNC, DSYNC
 * @throws java.nio.file.NoSuchFileException if there is no such file
 */
public suspend fun EventLoop.openFile(
    path: Path,
    vararg options: StandardOpenOption,
): FileHandle = perform(this, OPENED) { FileHandle.open(this, path, options.toSet(), it) }

/**
 * Reads at a position of the file, 256 KiB at most; the file's own position stays.
 *
 * Cancellable as `readSome`; nothing is lost.
 */
public suspend fun FileHandle.readAt(
    buffer: ByteBuffer,
    position: Long,
): Int = perform(eventLoop(), COUNT) { readAt(buffer, position, it) }

/**
 * Reads at a position until the buffer is full or the file ends; -1 if the file has nothing there. The file's own position
 * stays.
 *
 * Cancellable: it may throw with a part read, and the buffer's position tells how much.
 */
public suspend fun FileHandle.readAllAt(
    buffer: ByteBuffer,
    position: Long,
): Int = perform(eventLoop(), COUNT) { readAllAt(buffer, position, it) }

/** Writes at a position of the file, 256 KiB at most; the file's own position stays. Cancellable as `writeSome`. */
public suspend fun FileHandle.writeAt(
    buffer: ByteBuffer,
    position: Long,
): Int = perform(eventLoop(), COUNT) { writeAt(buffer, position, it) }

/**
 * Writes all that remains in the buffer at a position of the file; returns how many bytes that were. The file's own
 * position stays.
 *
 * Cancellable: it may throw with a part written, and the buffer's position tells how much.
 */
public suspend fun FileHandle.writeAllAt(
    buffer: ByteBuffer,
    position: Long,
): Int = perform(eventLoop(), COUNT) { writeAllAt(buffer, position, it) }
