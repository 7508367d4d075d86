dependencies {
    testImplementation(project(":carillon-test"))
    testImplementation(project(":carillon-micrometer"))
    testImplementation(project(":carillon-samples"))
    testImplementation(project(":carillon-benchmarks")) {
        exclude(group = "io.vertx")
    }
}

// They read the whole tree, sources and documents alike, which is no input that Gradle knows of.
tasks.test {
    outputs.upToDateWhen { false }
}
