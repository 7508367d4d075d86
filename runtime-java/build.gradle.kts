dependencies {
    implementation(libs.jna)
    implementation(libs.slf4j.api)
    testImplementation(project(":carillon-test"))
    // What Lincheck brings along, in the versions that all others use.
    testImplementation(libs.coroutines.core)
    testImplementation(libs.kotlin.stdlib)
    testImplementation(libs.lincheck) {
        exclude(group = "org.jetbrains.lincheck", module = "lincheck-trace")
    }
    testImplementation(libs.jcstress.core) {
        exclude(group = "net.java.dev.jna", module = "jna")
    }
    testAnnotationProcessor(libs.jcstress.core) {
        exclude(group = "net.java.dev.jna", module = "jna")
    }
}
