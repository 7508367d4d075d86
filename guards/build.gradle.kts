dependencies {
    testImplementation(project(":carillon-test"))
    testImplementation(project(":carillon-samples"))
    testImplementation(project(":carillon-benchmarks"))
}
