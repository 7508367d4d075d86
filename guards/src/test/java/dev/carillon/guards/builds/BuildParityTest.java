package dev.carillon.guards.builds;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.guards.tree.Guard;
import dev.carillon.guards.tree.Planted;
import dev.carillon.guards.tree.SourceTree;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BuildParityTest {
    private static final String POM = """
            <project>
              <groupId>dev.bell</groupId>
              <version>1.0</version>
              <modules><module>core</module></modules>
              <properties>
                <kotlin.stdlib.version>2.2.20</kotlin.stdlib.version>
                <palantir.version>9</palantir.version>
                <maven.compiler.release>17</maven.compiler.release>
                <kotlin.compiler.languageVersion>2.2</kotlin.compiler.languageVersion>
                <project.build.outputTimestamp>2026-01-01T00:00:00Z</project.build.outputTimestamp>
                <hidden>**/*StressTest.java</hidden>
              </properties>
              <build><plugins>
                <plugin>
                  <artifactId>maven-compiler-plugin</artifactId>
                  <configuration><compilerArgs><arg>-Xlint:all</arg><arg>-Werror</arg><arg>-Xplugin:x</arg></compilerArgs></configuration>
                </plugin>
                <plugin>
                  <artifactId>maven-jar-plugin</artifactId>
                  <configuration><archive><manifestEntries><Title>${project.artifactId}</Title></manifestEntries></archive></configuration>
                </plugin>
                <plugin>
                  <artifactId>maven-surefire-plugin</artifactId>
                  <configuration>
                    <argLine>--flag</argLine>
                    <includes><include>**/*Test.java</include><include>**/*IT.java</include></includes>
                    <excludes><exclude>${hidden}</exclude></excludes>
                    <systemPropertyVariables>
                      <bell.root>${maven.multiModuleProjectDirectory}</bell.root>
                      <bell.timeout>120 s</bell.timeout>
                    </systemPropertyVariables>
                  </configuration>
                </plugin>
              </plugins></build>
            </project>
            """;
    private static final String MODULE = """
            <project>
              <artifactId>bell-core</artifactId>
              <properties><carillon.mainClass>bell.Main</carillon.mainClass></properties>
              <build>
                <arg>-Xexplicit-api=strict</arg>
                <implicit>none</implicit>
                <arg>${project.basedir}/src/main/java:${project.basedir}/src/stub/java</arg>
              </build>
            </project>
            """;
    private static final String ROOT = """
            tasks.withType<JavaCompile> {
                options.release = 17
                options.javaModuleVersion = project.version.toString()
                options.compilerArgs.addAll(listOf("-Xlint:all", "-Werror"))
            }
            languageVersion = KotlinVersion.KOTLIN_2_2
            tasks.withType<Test> {
                include("**/*Test.class", "**/*IT.class")
                exclude("**/*StressTest.class")
                jvmArgs("--flag") // jvmArgs("--other")
                systemProperty("bell.root", rootDir)
                systemProperty("bell.timeout", "120 s")
                systemProperties(providers.systemPropertiesPrefixedBy("carillon.").get())
            }
            isPreserveFileTimestamps = false
            isReproducibleFileOrder = true
            attributes("Title" to project.name)
            compilerOptions.moduleName.set(project.name)
            """;

    @TempDir
    Path root;

    private final Map<String, String> files = new HashMap<>();

    @BeforeEach
    void bothBuildsSayTheSame() {
        files.put("pom.xml", POM);
        files.put("core/pom.xml", MODULE);
        files.put("settings.gradle.kts", "mapOf(\"bell-core\" to \"core\")\n");
        files.put("gradle.properties", "group=dev.bell\nversion=1.0\n");
        files.put("gradle/libs.versions.toml", "[versions]\nkotlin-stdlib = \"2.2.20\"\n\n[libraries]\nx = \"y\"\n");
        files.put("build.gradle.kts", ROOT);
        files.put("core/build.gradle.kts", """
                kotlin {
                    explicitApi()
                }
                mainClass = "bell.Main"
                "Main-Class" to "bell.Main"
                options.sourcepath = files("src/main/java", "src/stub/java")
                options.compilerArgs.add("-implicit:none")
                """);
    }

    @Test
    void mavenAndGradleSayTheSame() {
        Guard.passes("Maven and Gradle say the same", BuildParity.check(SourceTree.real()));
    }

    @Test
    void buildsThatAgreeAreFine() {
        said(0, "");
    }

    @ParameterizedTest(name = "{3}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "settings.gradle.kts | core\") | kern\") | settings.gradle.kts:1: module kern is nothing for Maven, and bell-core",
                "core/pom.xml | bell-core | bell-kern | settings.gradle.kts:1: module core is bell-kern (core/pom.xml:2) for Maven, and bell-core",
                "gradle.properties | dev.bell | dev.gong | gradle.properties:1: group is dev.bell",
                "gradle.properties | =1.0 | =1.1 | gradle.properties:2: version is 1.0",
                "gradle/libs.versions.toml | 2.2.20 | 2.2.21 | gradle/libs.versions.toml:2: version of kotlin-stdlib is 2.2.20",
                "gradle/libs.versions.toml | [libraries] | jna = \"5\" | gradle/libs.versions.toml:4: version of jna is nothing for Maven, and 5",
                "core/build.gradle.kts | bell.Main | bell.Other | core/build.gradle.kts:4: main class of core is bell.Main",
                "core/build.gradle.kts | explicitApi() | //explicitApi() | core/pom.xml:5: explicit API in core is strict",
                "core/build.gradle.kts | src/stub | src/stubs | core/build.gradle.kts:6: source path of core is src/main/java src/stub/java",
                "core/build.gradle.kts | none | class | core/build.gradle.kts:7: implicit class files of core is none",
                "build.gradle.kts | bell.root | bell.roots | pom.xml:29: test property bell.root is (computed)",
                "build.gradle.kts | 120 s | 60 s | build.gradle.kts:12: test property bell.timeout is 120 s",
                "build.gradle.kts | *IT.class | *ITS.class | build.gradle.kts:8: tests included is **/*IT **/*Test",
                "build.gradle.kts | Stress | Long | build.gradle.kts:9: tests excluded is **/*StressTest",
                "build.gradle.kts | --flag | --flags | build.gradle.kts:10: JVM arguments of tests is --flag",
                "build.gradle.kts | release = 17 | release = 21 | build.gradle.kts:2: Java release is 17",
                "build.gradle.kts | KOTLIN_2_2 | KOTLIN_2_3 | build.gradle.kts:6: Kotlin language version is 2.2",
                "core/build.gradle.kts | Main-Class | Main-Klasse | core/pom.xml:3: manifest entry Main-Class of core is bell.Main",
                "build.gradle.kts | \"carillon. | \"bell. | build.gradle.kts:13: properties handed on to tests is carillon.",
                "build.gradle.kts | javaModuleVersion | moduleVersion | pom.xml:15: module version is (computed)",
                "build.gradle.kts | moduleName | name | pom.xml:9: Kotlin module name is (computed)",
                "build.gradle.kts | Timestamps = false | Timestamps = true | pom.xml:10: reproducible archives is (computed)",
                "build.gradle.kts | Title | Titel | build.gradle.kts:17: manifest entry Titel is nothing for Maven",
                "build.gradle.kts | -Werror | -nowarn | build.gradle.kts:4: javac options is -Werror -Xlint:all",
            })
    void aDifferenceIsReported(String file, String before, String after, String start) {
        files.computeIfPresent(file, (path, text) -> text.replaceFirst(Pattern.quote(before), after));

        said(-1, start);
    }

    private void said(int count, String start) {
        var planted = new Planted(root);
        files.forEach(planted::with);
        var findings = BuildParity.check(planted.tree());
        assertTrue(count < 0 || count == findings.size(), findings.toString());
        assertTrue(
                count == 0
                        || findings.stream()
                                .anyMatch(finding -> finding.toString().startsWith(start)),
                findings.toString());
        assertEquals(count != 0, !findings.isEmpty());
    }
}
