plugins {
    alias(libs.plugins.kotlin.jvm)
}

dependencies {
    implementation(project(":carillon-coroutines"))
    implementation(project(":carillon-shm"))
    implementation(libs.kotlin.stdlib)
    implementation(project(":carillon-admin"))
    runtimeOnly(libs.slf4j.simple)
    testImplementation(project(":carillon-test"))
}
