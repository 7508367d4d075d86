dependencies {
    api(project(":carillon-runtime"))
    testImplementation(project(":carillon-test"))
}
