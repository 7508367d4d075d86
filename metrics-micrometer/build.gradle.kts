dependencies {
    api(project(":carillon-runtime"))
    api(libs.micrometer.core)
    testImplementation(project(":carillon-test"))
}

// A descriptor would read Micrometer, which has only a name like this one.
tasks.jar {
    manifest {
        attributes("Automatic-Module-Name" to "dev.carillon.micrometer")
    }
}
