dependencies {
    implementation(libs.jna)
    implementation(libs.slf4j.api)
    testImplementation(project(":carillon-test"))
    // Holds the catalog of signals against its schema.
    testImplementation(libs.json.schema) {
        exclude(group = "tools.jackson.dataformat", module = "jackson-dataformat-yaml")
    }
    testImplementation(libs.jackson.yaml)
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

// src/stub has the signatures of java.lang.foreign, which Java 17 lacks and dev.carillon.sys calls on JDK 22 and later.
// The compiler reads them and writes no class files of them.
tasks.compileJava {
    options.sourcepath = files("src/main/java", "src/stub/java")
    options.compilerArgs.add("-implicit:none")
}
