dependencies {
    api(project(":carillon-runtime"))
    api(platform(libs.junit.bom))
    api(libs.junit.api)
    testImplementation(libs.junit.launcher)
}
