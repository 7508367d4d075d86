package dev.carillon.benchmarks.echo

/** Our loop with coroutines. */
public class LoopCoroutines : EchoWorkload({ _, stage -> LoopCoroutineEcho(stage) })

/** Netty with coroutines. */
public class NettyCoroutines : EchoWorkload({ _, stage -> NettyCoroutineEcho(stage) })

/** Vert.x with its coroutines. */
public class VertxCoroutines : EchoWorkload({ _, stage -> VertxEcho(stage) })

/** Ktor's sockets. */
public class KtorCoroutines : EchoWorkload({ _, stage -> KtorEcho(stage) })
