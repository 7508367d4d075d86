dependencies {
    api(project(":carillon-runtime"))
    api(platform(libs.junit.bom))
    api(libs.junit.api)
}

tasks.jar {
    manifest {
        attributes("Automatic-Module-Name" to "dev.carillon.test")
    }
}
