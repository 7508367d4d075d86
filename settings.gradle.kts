pluginManagement {
    repositories {
        mavenCentral()
        gradlePluginPortal()
    }
}

dependencyResolutionManagement {
    repositoriesMode = RepositoriesMode.FAIL_ON_PROJECT_REPOS
    repositories {
        mavenCentral()
    }
}

rootProject.name = "carillon"

// A project is named after its artifact, so jars and coordinates need no further word.
mapOf(
    "carillon-runtime" to "runtime-java",
    "carillon-test" to "carillon-test",
    "carillon-shm" to "shm-ipc",
    "carillon-coroutines" to "coroutines-kt",
    "carillon-admin" to "admin-http",
    "carillon-micrometer" to "metrics-micrometer",
    "carillon-samples" to "samples",
    "carillon-benchmarks" to "benchmarks",
    "carillon-framework-tests" to "framework-tests",
    "carillon-spring-boot-3-tests" to "spring-boot-3-tests",
    "carillon-guards" to "guards",
).forEach { (artifact, folder) ->
    include(artifact)
    project(":$artifact").projectDir = file(folder)
}
