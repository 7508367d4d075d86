plugins {
    alias(libs.plugins.kotlin.jvm)
}

kotlin {
    explicitApi()
}

// The oldest versions that we support, for OldestVersionsIT.
val oldest: Configuration by configurations.creating { isTransitive = false }

dependencies {
    oldest(libs.coroutines.oldest)
    oldest(libs.kotlin.oldest)
    api(project(":carillon-runtime"))
    api(libs.kotlin.stdlib)
    api(libs.coroutines.core)
    compileOnly(project(":carillon-shm"))
    testImplementation(project(":carillon-test"))
    testImplementation(project(":carillon-shm"))
    // What our suspend functions are tried in: a test scheduler, Ktor's server, a Spring application.
    testImplementation(libs.coroutines.test)
    testImplementation(libs.coroutines.reactor)
    testImplementation(libs.ktor.cio) {
        exclude(group = "org.fusesource.jansi")
    }
    testImplementation(libs.spring.boot)
    testImplementation(libs.spring.webflux)
    testImplementation(libs.reactor.netty) {
        exclude(group = "io.netty", module = "netty-resolver-dns-native-macos")
        exclude(group = "io.netty", module = "netty-transport-native-epoll")
    }
    // Ktor asks for newer ones of the same line.
    testImplementation(libs.kotlin.reflect) {
        version { strictly(libs.versions.kotlin.stdlib.get()) }
    }
    testImplementation(libs.kotlin.stdlib) {
        version { strictly(libs.versions.kotlin.stdlib.get()) }
    }
}

tasks.test {
    // Otherwise each coroutine has a debug name on its thread, and takes another path than in production.
    systemProperty("kotlinx.coroutines.debug", "off")
    jvmArgumentProviders.add(CommandLineArgumentProvider { listOf("-Dcarillon.oldest=" + oldest.asPath) })
}

tasks.jar {
    manifest {
        attributes("Automatic-Module-Name" to "dev.carillon.coroutines")
    }
}
