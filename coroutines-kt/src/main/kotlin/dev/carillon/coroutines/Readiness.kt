@file:JvmName("LoopReadiness")

package dev.carillon.coroutines

import dev.carillon.coroutines.OperationResult.Companion.NOTHING
import dev.carillon.io.Descriptor
import dev.carillon.loop.EventLoop

// r[impl kt.readable]

/**
 * Waits until a descriptor that is not ours is readable, at its end, or failed: an inotify, a timerfd, a library's own.
 *
 * It is borrowed: no flag of it is changed, and it is not watched any longer when this returns or throws, so it has to stay
 * open until then. Plain files are always ready. Cancellable; nothing can be lost.
 *
 * **Threading:** a coroutine on any dispatcher, where it goes on afterwards.
 */
public suspend fun EventLoop.awaitReadable(fd: Int): Unit =
    perform(this, NOTHING) { Descriptor.awaitReadable(this, fd, it) }

/** Waits until a descriptor that is not ours is writable or failed; else as [awaitReadable]. Cancellable; nothing is lost. */
public suspend fun EventLoop.awaitWritable(fd: Int): Unit =
    perform(this, NOTHING) { Descriptor.awaitWritable(this, fd, it) }

/** As [EventLoop.awaitReadable] on the loop of the context, see [currentLoop]. Cancellable; nothing is lost. */
public suspend fun awaitReadable(fd: Int): Unit = currentLoop().awaitReadable(fd)

/** As [EventLoop.awaitWritable] on the loop of the context, see [currentLoop]. Cancellable; nothing is lost. */
public suspend fun awaitWritable(fd: Int): Unit = currentLoop().awaitWritable(fd)
