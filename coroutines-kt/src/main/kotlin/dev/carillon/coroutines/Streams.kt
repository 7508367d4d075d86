@file:JvmName("LoopStreams")

package dev.carillon.coroutines

import dev.carillon.coroutines.OperationResult.Companion.COUNT
import dev.carillon.coroutines.OperationResult.Companion.LONG_COUNT
import dev.carillon.coroutines.OperationResult.Companion.NOTHING
import dev.carillon.io.StreamHandle
import java.nio.ByteBuffer

// Each function here starts an operation and suspends until the loop has completed it. The caller may be on any dispatcher
// and goes on there. A buffer is the operation's until the function returns or throws, also where it is cancelled.

// r[impl kt.io]

/**
 * Reads what is there, a byte at least; -1 at the end.
 *
 * Cancellable: it throws when the loop has let go of the buffer, whose position tells what was read. Nothing is lost.
 *
 * @throws IllegalArgumentException if the buffer is read-only or has no room
 * @throws dev.carillon.ClosedException if it was closed, or its loop ended; a coroutine of a loop that ends is cancelled instead,
 *     with that as the cause
 */
public suspend fun StreamHandle.readSome(buffer: ByteBuffer): Int = perform(eventLoop(), COUNT) { readSome(buffer, it) }

/** Reads into several buffers, one after the other (scatter); else as with one. Cancellable; their positions tell. */
public suspend fun StreamHandle.readSome(vararg buffers: ByteBuffer): Int =
    perform(eventLoop(), COUNT) { readSome(buffers, it) }

/**
 * Writes what is taken at once, a byte at least; returns how many that were.
 *
 * Cancellable: it throws when the loop has let go of the buffer, whose position tells what was written.
 *
 * @throws IllegalArgumentException if nothing remains in the buffer
 */
public suspend fun StreamHandle.writeSome(buffer: ByteBuffer): Int =
    perform(eventLoop(), COUNT) { writeSome(buffer, it) }

/** Writes out of several buffers, one after the other (gather); else as with one. Cancellable; their positions tell. */
public suspend fun StreamHandle.writeSome(vararg buffers: ByteBuffer): Int =
    perform(eventLoop(), COUNT) { writeSome(buffers, it) }

/**
 * Writes all that remains in the buffer; returns how many bytes that were.
 *
 * Cancellable: it may throw with a part written, and the buffer's position tells how much.
 */
public suspend fun StreamHandle.writeAll(buffer: ByteBuffer): Long =
    perform(eventLoop(), LONG_COUNT) { writeAll(buffer, it) }

/** Writes all that remains in several buffers; else as with one. Cancellable; their positions tell. */
public suspend fun StreamHandle.writeAll(vararg buffers: ByteBuffer): Long =
    perform(eventLoop(), LONG_COUNT) { writeAll(buffers, it) }

/** Waits until there is something to read, the end, or an error. Cancellable; nothing can be lost. */
public suspend fun StreamHandle.pollReadable(): Unit = perform(eventLoop(), NOTHING) { pollReadable(it) }

/** Waits until something can be written, or an error. Cancellable; nothing can be lost. */
public suspend fun StreamHandle.pollWritable(): Unit = perform(eventLoop(), NOTHING) { pollWritable(it) }

/**
 * Waits for an exceptional event: urgent data of TCP, a trigger of a file in /proc/pressure. Cancellable; an event that comes
 * between two waits is found by the second.
 */
public suspend fun StreamHandle.pollPriority(): Unit = perform(eventLoop(), NOTHING) { pollPriority(it) }
