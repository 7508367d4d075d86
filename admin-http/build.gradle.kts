dependencies {
    api(project(":carillon-runtime"))
    implementation(libs.slf4j.api)
    testImplementation(project(":carillon-test"))
}
