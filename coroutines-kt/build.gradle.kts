plugins {
    alias(libs.plugins.kotlin.jvm)
}

kotlin {
    explicitApi()
}

dependencies {
    api(project(":carillon-runtime"))
    api(libs.kotlin.stdlib)
    api(libs.coroutines.core)
    compileOnly(project(":carillon-shm"))
    testImplementation(project(":carillon-test"))
    testImplementation(project(":carillon-shm"))
}

tasks.jar {
    manifest {
        attributes("Automatic-Module-Name" to "dev.carillon.coroutines")
    }
}
