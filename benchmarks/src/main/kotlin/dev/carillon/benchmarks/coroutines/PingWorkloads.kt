package dev.carillon.benchmarks.coroutines

import dev.carillon.benchmarks.loops.NettyLoop
import dev.carillon.coroutines.dispatcher
import dev.carillon.loop.EventLoop
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.newSingleThreadContext
import kotlin.coroutines.EmptyCoroutineContext

/** On our loop, whose own tools stand against yield and Channel. */
public class LoopPings : PingWorkload() {
    override fun open(): Home {
        val loop = EventLoop.open().start()
        return Home(
            loop.dispatcher,
            loop::close,
            ownYields = Pings::yieldsOnLoop,
            ownChannel = { ops, capacity -> Pings.loopChannel(loop, ops, capacity) },
        )
    }
}

/** On Netty's loop. */
public class NettyPings : PingWorkload() {
    override fun open(): Home {
        val netty = NettyLoop.epoll()
        return Home(netty.group().next().asCoroutineDispatcher(), netty::close)
    }
}

/** On one thread of Dispatchers.Default at a time. */
public class LimitedPings : PingWorkload() {
    override fun open(): Home = Home(Dispatchers.Default.limitedParallelism(1), {})
}

/** On a thread of kotlinx.coroutines' own. */
public class SingleThreadPings : PingWorkload() {
    @OptIn(ExperimentalCoroutinesApi::class, DelicateCoroutinesApi::class)
    override fun open(): Home {
        val context = newSingleThreadContext("single")
        return Home(context, context::close)
    }
}

/** On the thread that blocks until the coroutine is done. */
public class BlockingPings : PingWorkload() {
    override fun open(): Home = Home(EmptyCoroutineContext, {})
}
