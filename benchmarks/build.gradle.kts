plugins {
    application
    alias(libs.plugins.kotlin.jvm)
}

application {
    mainClass = "dev.carillon.benchmarks.Bench"
}

dependencies {
    implementation(project(":carillon-runtime"))
    implementation(project(":carillon-coroutines"))
    implementation(project(":carillon-shm"))
    implementation(libs.kotlin.stdlib)
    implementation(libs.jmh.core)
    annotationProcessor(libs.jmh.processor)
    testImplementation(project(":carillon-test"))
}
