package dev.carillon.guards.builds;

import dev.carillon.guards.tree.SourceFile;
import dev.carillon.guards.tree.SourceTree;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reads the Gradle files as we write them: one setting to a line, strings as literals, the pairs of artifact and folder
 * in the settings as {@code "artifact" to "folder"}. It runs no Gradle and understands no more Kotlin than that.
 */
final class GradleFacts {
    private static final String STRING = "\"([^\"]*)\"";

    private final SourceTree tree;
    private final Facts facts = new Facts();

    private GradleFacts(SourceTree tree) {
        this.tree = tree;
    }

    static Facts of(SourceTree tree) {
        var gradle = new GradleFacts(tree);
        gradle.coordinates();
        gradle.catalog();
        tree.file("build.gradle.kts").ifPresent(gradle::root);
        var folders = new ArrayList<String>();
        gradle.each("settings.gradle.kts", STRING + " to " + STRING, (file, pair) -> {
            gradle.facts.add("module " + pair.group(2), pair.group(1), file, pair.group());
            folders.add(pair.group(2));
        });
        folders.forEach(gradle::module);
        return gradle.facts;
    }

    private void coordinates() {
        each(
                "gradle.properties",
                "(?m)^(group|version)=(.*)$",
                (file, line) -> facts.add(line.group(1), line.group(2).strip(), file, line.group()));
    }

    /** The entries of {@code [versions]}, up to the next heading. */
    private void catalog() {
        tree.file("gradle/libs.versions.toml").ifPresent(file -> {
            boolean inVersions = false;
            for (var line : file.lines()) {
                inVersions = line.startsWith("[") ? line.strip().equals("[versions]") : inVersions;
                var entry = Pattern.compile("^([\\w-]+)\\s*=\\s*" + STRING).matcher(line);
                if (inVersions && entry.find()) {
                    facts.add("version of " + entry.group(1), entry.group(2), file, line);
                }
            }
        });
    }

    private void root(SourceFile file) {
        one(file, "Java release", "options\\.release = (\\d+)");
        one(file, "Kotlin language version", "languageVersion = KotlinVersion\\.KOTLIN_(\\d+_\\d+)");
        one(file, "Kotlin API version", "apiVersion = KotlinVersion\\.KOTLIN_(\\d+_\\d+)");
        one(file, "Kotlin JVM target", "jvmTarget = JvmTarget\\.JVM_(\\d+)");
        list(file, "tests included", "\\binclude\\(([^)]*)\\)");
        list(file, "tests excluded", "\\bexclude\\(([^)]*)\\)");
        list(file, "JVM arguments of tests", "\\bjvmArgs\\(([^)]*)\\)");
        list(file, "javac options", "compilerArgs\\.addAll\\(\\s*listOf\\(([^)]*)\\)");
        computed(file, "module version", "options\\.javaModuleVersion = project\\.version");
        computed(file, "Kotlin module name", "compilerOptions\\.moduleName\\.set\\(project\\.name\\)");
        one(file, "properties handed on to tests", "systemPropertiesPrefixedBy\\(" + STRING + "\\)");
        each(
                file.path(),
                "attributes\\(" + STRING + " to project\\.\\w+\\)",
                (here, entry) -> facts.add("manifest entry " + entry.group(1), Facts.COMPUTED, here, entry.group()));
        if (file.withoutComments().contains("isPreserveFileTimestamps = false")) {
            computed(file, "reproducible archives", "isReproducibleFileOrder = true");
        }
        each(file.path(), "systemProperty\\(" + STRING + ", (.*)\\)", (here, property) -> {
            var value = property.group(2);
            var literal = value.matches(STRING) ? value.substring(1, value.length() - 1) : Facts.COMPUTED;
            facts.add("test property " + property.group(1), literal, here, property.group());
        });
    }

    private void module(String folder) {
        tree.file(folder + "/build.gradle.kts").ifPresent(file -> {
            one(file, "main class of " + folder, "mainClass = " + STRING);
            one(file, "manifest entry Main-Class of " + folder, "\"Main-Class\" to " + STRING);
            list(file, "source path of " + folder, "options\\.sourcepath = files\\(([^)]*)\\)");
            one(file, "implicit class files of " + folder, "\"-implicit:(\\w+)\"");
            one(file, "module name of " + folder, "\"Automatic-Module-Name\" to " + STRING);
            each(
                    file.path(),
                    "\\bexplicitApi\\(\\)",
                    (here, call) -> facts.add("explicit API in " + folder, "strict", here, call.group()));
        });
    }

    private void computed(SourceFile file, String name, String pattern) {
        each(file.path(), pattern, (here, match) -> facts.add(name, Facts.COMPUTED, here, match.group()));
    }

    private void one(SourceFile file, String name, String pattern) {
        each(
                file.path(),
                pattern,
                (here, match) -> facts.add(name, match.group(1).replace('_', '.'), here, match.group()));
    }

    /** All strings between the parentheses, in order. */
    private void list(SourceFile file, String name, String pattern) {
        each(
                file.path(),
                pattern,
                (here, match) -> facts.add(
                        name,
                        strings(match.group(1)).stream()
                                .map(text -> text.replaceAll("\\.class$", ""))
                                .sorted()
                                .collect(Collectors.joining(" ")),
                        here,
                        match.group()));
    }

    private static List<String> strings(String text) {
        return Pattern.compile(STRING)
                .matcher(text)
                .results()
                .map(string -> string.group(1))
                .toList();
    }

    private void each(String path, String pattern, BiConsumer<SourceFile, MatchResult> action) {
        tree.file(path).ifPresent(file -> {
            var text = file.isKotlin() ? file.withoutComments() : file.text();
            Pattern.compile(pattern).matcher(text).results().forEach(match -> action.accept(file, match));
        });
    }
}
