plugins {
    alias(libs.plugins.kotlin.jvm)
}

dependencies {
    testImplementation(project(":carillon-coroutines"))
    testImplementation(project(":carillon-test"))
    testImplementation(libs.coroutines.core)
    testRuntimeOnly(libs.slf4j.simple)
    testImplementation(platform(libs.netty.bom))
    testImplementation(libs.ktor.cio) {
        exclude(group = "org.fusesource.jansi")
    }
    testImplementation(libs.ktor.server.netty) {
        exclude(group = "org.fusesource.jansi")
    }
    testImplementation(libs.spring.boot4.web) {
        exclude(group = "org.springframework.boot", module = "spring-boot-starter-logging")
        exclude(group = "org.springframework.boot", module = "spring-boot-starter-jackson")
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
    systemProperty("carillon.spring.boot", libs.versions.spring.boot4.get())
}
