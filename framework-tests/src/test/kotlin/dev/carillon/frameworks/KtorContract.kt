package dev.carillon.frameworks

import dev.carillon.test.ChildJvm

/** Ktor, with any engine. */
internal abstract class KtorContract(
    private val engine: String,
) : ServiceContract() {
    override fun service(way: Way): ChildJvm =
        ChildJvm
            .of(KtorService::class.java)
            .args(engine, way.name)
            .vmFlags("-Dio.ktor.server.engine.ShutdownHook=${way != Way.RECIPE}")

    override fun endOfFramework(): List<String> = listOf(Work.ANSWERED, "the application stops")
}

internal class KtorCioIT : KtorContract("CIO")

internal class KtorNettyIT : KtorContract("Netty")
