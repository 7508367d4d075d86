package dev.carillon.benchmarks.coroutines

import dev.carillon.coroutines.LoopChannel
import dev.carillon.coroutines.yieldOnLoop
import dev.carillon.loop.EventLoop
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.yield

/** Two coroutines that take turns, so many times in all. Each variant stands by itself, so that it is compiled for itself. */
internal object Pings {
    /** What is sent; no box for each. */
    private val element = Any()

    suspend fun yields(ops: Long): Unit =
        coroutineScope {
            repeat(2) {
                launch {
                    for (turn in 0 until ops / 2) yield()
                }
            }
        }

    suspend fun yieldsOnLoop(ops: Long): Unit =
        coroutineScope {
            repeat(2) {
                launch {
                    for (turn in 0 until ops / 2) yieldOnLoop()
                }
            }
        }

    suspend fun channel(
        ops: Long,
        capacity: Int,
    ): Unit =
        coroutineScope {
            val channel = Channel<Any>(capacity)
            launch {
                for (turn in 0 until ops) channel.send(element)
            }
            launch {
                for (turn in 0 until ops) channel.receive()
            }
        }

    suspend fun loopChannel(
        loop: EventLoop,
        ops: Long,
        capacity: Int,
    ): Unit =
        coroutineScope {
            val channel = LoopChannel<Any>(loop, capacity)
            launch {
                for (turn in 0 until ops) channel.send(element)
            }
            launch {
                for (turn in 0 until ops) channel.receive()
            }
        }
}
