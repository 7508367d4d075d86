import org.jetbrains.kotlin.gradle.dsl.JvmTarget
import org.jetbrains.kotlin.gradle.dsl.KotlinJvmProjectExtension
import org.jetbrains.kotlin.gradle.dsl.KotlinVersion
import org.jetbrains.kotlin.gradle.tasks.KotlinJvmCompile

plugins {
    alias(libs.plugins.kotlin.jvm) apply false
}

subprojects {
    apply(plugin = "java-library")

    dependencies {
        "compileOnlyApi"(rootProject.libs.jspecify)
        "testImplementation"(rootProject.libs.jspecify)
        "testImplementation"(platform(rootProject.libs.junit.bom))
        "testImplementation"(rootProject.libs.junit.jupiter)
        "testRuntimeOnly"(rootProject.libs.junit.launcher)
    }

    tasks.withType<JavaCompile>().configureEach {
        options.release = 17
        options.javaModuleVersion = project.version.toString()
        options.compilerArgs.addAll(
            listOf(
                "-Xlint:all,-module,-missing-explicit-ctor,-processing",
                "-Werror",
                "-parameters",
                // Strings are put together in place: the JDK's way, which is made at run time, costs a starting VM some 10 ms.
                "-XDstringConcat=inline",
            ),
        )
    }

    // The same bytes from the same sources, whoever builds them, and what a jar says of itself.
    tasks.withType<AbstractArchiveTask>().configureEach {
        isPreserveFileTimestamps = false
        isReproducibleFileOrder = true
    }
    tasks.withType<Jar>().configureEach {
        manifest {
            attributes("Implementation-Title" to project.name)
            attributes("Implementation-Version" to project.version)
        }
    }

    plugins.withId("org.jetbrains.kotlin.jvm") {
        configure<KotlinJvmProjectExtension> {
            compilerOptions {
                languageVersion = KotlinVersion.KOTLIN_2_2
                apiVersion = KotlinVersion.KOTLIN_2_2
                jvmTarget = JvmTarget.JVM_17
                allWarningsAsErrors = true
                freeCompilerArgs.add("-Xjsr305=strict")
            }
        }
        // Names of internal functions hold it: the same as Maven's, so that jars of either build fit together.
        tasks.withType<KotlinJvmCompile>().matching { it.name == "compileKotlin" }.configureEach {
            compilerOptions.moduleName.set(project.name)
        }
    }

    tasks.withType<Test>().configureEach {
        val stress = providers.gradleProperty("stress").isPresent
        useJUnitPlatform()
        include("**/*Test.class", "**/*IT.class")
        if (!stress) {
            exclude("**/*StressTest.class")
        }
        jvmArgs("--enable-native-access=ALL-UNNAMED", "-Xmx2g")
        systemProperty("carillon.root", rootDir)
        systemProperty("carillon.checks", "true")
        systemProperty("carillon.jdk2", providers.gradleProperty("jdk2").getOrElse(""))
        systemProperty("carillon.stress", stress)
        systemProperty("carillon.update", providers.gradleProperty("update").isPresent)
        systemProperty("junit.jupiter.extensions.autodetection.enabled", "true")
        systemProperty("junit.jupiter.execution.timeout.default", "120 s")
        systemProperty("junit.jupiter.execution.timeout.threaddump.enabled", "true")
        // Last, so that -Dcarillon.seed=SEED and its like are what a test sees, as with Maven.
        systemProperties(providers.systemPropertiesPrefixedBy("carillon.").get())
    }
}
