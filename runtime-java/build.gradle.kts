dependencies {
    implementation(libs.jna)
    implementation(libs.slf4j.api)
    testImplementation(project(":carillon-test"))
}
