dependencies {
    testImplementation(project(":carillon-test"))
    testRuntimeOnly(libs.slf4j.simple)
    testImplementation(libs.spring.boot3.web) {
        exclude(group = "org.springframework.boot", module = "spring-boot-starter-logging")
        exclude(group = "org.springframework.boot", module = "spring-boot-starter-json")
    }
}

// One class path cannot hold Spring Boot 3 and 4, so this module has no sources of its own.
sourceSets.test {
    java.setSrcDirs(listOf("../framework-tests/src/test/java"))
}

tasks.test {
    systemProperty("carillon.spring.boot", libs.versions.spring.boot.get())
}
