package dev.carillon.guards.builds;

import dev.carillon.guards.builds.Facts.Fact;
import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.SourceTree;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Two builds, one truth: compares what Maven's files and Gradle's files say, fact by fact. */
final class BuildParity {
    private BuildParity() {}

    static List<Finding> check(SourceTree tree) {
        var pom = tree.file("pom.xml");
        if (pom.isEmpty()) {
            return List.of(new Finding("pom.xml", "there is none", "run the guards in the root of the tree"));
        }
        var maven = MavenFacts.of(tree, pom.get()).all();
        var gradle = GradleFacts.of(tree).all();
        var names = new TreeSet<>(maven.keySet());
        names.addAll(gradle.keySet());
        return names.stream()
                .flatMap(name -> compare(name, maven, gradle).stream())
                .toList();
    }

    private static Optional<Finding> compare(String name, Map<String, Fact> maven, Map<String, Fact> gradle) {
        var inMaven = maven.get(name);
        var inGradle = gradle.get(name);
        if (value(inMaven).equals(value(inGradle))) {
            return Optional.empty();
        }
        var fact = inGradle != null ? inGradle : inMaven;
        var where = fact == null ? name : fact.where();
        var problem = name + " is " + said(inMaven) + " for Maven, and " + said(inGradle) + " for Gradle";
        return Optional.of(new Finding(where, problem, "say the same in both: " + places(name)));
    }

    private static String value(@Nullable Fact fact) {
        return fact == null ? "" : fact.value();
    }

    private static String said(@Nullable Fact fact) {
        return fact == null || fact.value().isEmpty() ? "nothing" : fact.value() + " (" + fact.where() + ")";
    }

    private static String places(String name) {
        if (name.startsWith("version of ")) {
            var library = name.substring("version of ".length());
            return "the property " + library.replace('-', '.') + ".version of pom.xml, and " + library
                    + " in gradle/libs.versions.toml";
        }
        if (name.equals("group") || name.equals("version")) {
            return "the root pom.xml, and gradle.properties";
        }
        if (name.startsWith("module ") && !name.matches("module (name|version).*")) {
            return "the modules of pom.xml and the artifactId there, and settings.gradle.kts";
        }
        return name.contains(" of ") || name.contains(" in ")
                ? "pom.xml and build.gradle.kts of the module, or of the root for tests"
                : "pom.xml, and build.gradle.kts of the root";
    }
}
