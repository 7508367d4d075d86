plugins {
    application
    alias(libs.plugins.kotlin.jvm)
}

application {
    mainClass = "dev.carillon.benchmarks.Bench"
}

tasks.jar {
    manifest {
        attributes("Main-Class" to "dev.carillon.benchmarks.Bench")
    }
}

dependencies {
    implementation(project(":carillon-runtime"))
    implementation(project(":carillon-coroutines"))
    implementation(project(":carillon-shm"))
    implementation(libs.kotlin.stdlib)
    implementation(libs.jmh.core)
    annotationProcessor(libs.jmh.processor)
    implementation(libs.aeron.driver)
    implementation(libs.agrona)
    implementation(libs.chronicle.queue) {
        exclude(group = "net.java.dev.jna", module = "jna")
        exclude(group = "net.java.dev.jna", module = "jna-platform")
        exclude(group = "net.openhft", module = "chronicle-analytics")
        exclude(group = "net.openhft", module = "compiler")
        exclude(group = "commons-cli", module = "commons-cli")
        exclude(group = "org.jetbrains", module = "annotations")
    }
    implementation(platform(libs.netty.bom))
    implementation(libs.netty.epoll)
    implementation(libs.netty.uring)
    implementation(libs.ktor.network)
    implementation(libs.vertx.coroutines) {
        exclude(group = "org.jetbrains.kotlinx", module = "kotlinx-coroutines-core")
    }
    implementation(libs.jctools)
    runtimeOnly(variantOf(libs.netty.epoll.native) { classifier("linux-x86_64") })
    runtimeOnly(variantOf(libs.netty.uring.native) { classifier("linux-x86_64") })
    testImplementation(project(":carillon-test"))
}
