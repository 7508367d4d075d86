plugins {
    alias(libs.plugins.kotlin.jvm)
}

dependencies {
    implementation(project(":carillon-coroutines"))
    implementation(project(":carillon-shm"))
    implementation(libs.kotlin.stdlib)
    implementation(project(":carillon-admin"))
    implementation(libs.json.schema) {
        exclude(group = "tools.jackson.dataformat", module = "jackson-dataformat-yaml")
    }
    implementation(libs.kotlinx.io)
    runtimeOnly(libs.slf4j.simple)
    testImplementation(project(":carillon-test"))
}
