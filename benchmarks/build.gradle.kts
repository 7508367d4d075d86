plugins {
    application
    alias(libs.plugins.kotlin.jvm)
}

application {
    mainClass = "dev.carillon.benchmarks.Bench"
}

dependencies {
    implementation(project(":carillon-coroutines"))
    implementation(project(":carillon-shm"))
    testImplementation(project(":carillon-test"))
}
