package dev.carillon.guards.builds;

import dev.carillon.guards.tree.Modules;
import dev.carillon.guards.tree.SourceFile;
import dev.carillon.guards.tree.SourceTree;
import dev.carillon.guards.tree.Xml;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads the poms. */
final class MavenFacts {
    /** Tools that only Maven runs. */
    private static final Set<String> MAVEN_ONLY = Set.of("errorprone", "nullaway", "palantir", "ktlint");

    private static final String MAIN_SOURCES = "${project.basedir}/src/main/";
    private static final Pattern PROPERTY = Pattern.compile("\\$\\{([^}]+)\\}");

    private final SourceTree tree;
    private final SourceFile file;
    private final Xml pom;
    private final TreeMap<String, String> properties = new TreeMap<>();
    private final Facts facts = new Facts();

    private MavenFacts(SourceTree tree, SourceFile file) {
        this.tree = tree;
        this.file = file;
        this.pom = Xml.read(file.absolute());
        pom.first("properties").ifPresent(all -> all.children().forEach(one -> properties.put(one.tag(), one.text())));
    }

    static Facts of(SourceTree tree, SourceFile rootPom) {
        var maven = new MavenFacts(tree, rootPom);
        maven.root();
        maven.archives();
        maven.tests();
        Modules.of(tree).forEach(maven::module);
        return maven.facts;
    }

    private void root() {
        facts.add("group", pom.text("groupId"), file, "<groupId>");
        facts.add("version", pom.text("version"), file, "<version>");
        properties.forEach((name, value) -> {
            var library = name.replaceAll("\\.version$", "").replace('.', '-');
            if (name.endsWith(".version") && !MAVEN_ONLY.contains(library)) {
                facts.add("version of " + library, value, file, "<" + name + ">");
            }
        });
        property("Java release", "maven.compiler.release");
        property("Kotlin language version", "kotlin.compiler.languageVersion");
        property("Kotlin API version", "kotlin.compiler.apiVersion");
        property("Kotlin JVM target", "kotlin.compiler.jvmTarget");
        var options = plugin("maven-compiler-plugin").all("configuration", "compilerArgs", "arg").stream()
                .map(Xml::text)
                .filter(option -> option.matches("-Xlint.*|-Werror|-parameters|-XDstringConcat.*"))
                .sorted()
                .collect(Collectors.joining(" "));
        facts.add("javac options", options, file, "<compilerArgs>");
    }

    /** The two compilers name modules after artifact and version by default. */
    private void archives() {
        facts.add("module version", Facts.COMPUTED, file, "<artifactId>maven-compiler-plugin");
        facts.add("Kotlin module name", Facts.COMPUTED, file, "<kotlin.compiler.languageVersion>");
        if (properties.containsKey("project.build.outputTimestamp")) {
            facts.add("reproducible archives", Facts.COMPUTED, file, "<project.build.outputTimestamp>");
        }
        plugin("maven-jar-plugin")
                .first("configuration", "archive", "manifestEntries")
                .ifPresent(all -> all.children()
                        .forEach(one -> facts.add(
                                "manifest entry " + one.tag(), resolved(one.text()), file, "<" + one.tag() + ">")));
    }

    private void tests() {
        // Surefire hands on whatever it was started with.
        facts.add("properties handed on to tests", "carillon.", file, "<artifactId>maven-surefire-plugin");
        var surefire = plugin("maven-surefire-plugin");
        patterns("tests included", surefire.all("configuration", "includes", "include"));
        patterns("tests excluded", surefire.all("configuration", "excludes", "exclude"));
        facts.add("JVM arguments of tests", surefire.text("configuration", "argLine"), file, "<argLine>");
        surefire.first("configuration", "systemPropertyVariables")
                .ifPresent(all -> all.children()
                        .forEach(one -> facts.add(
                                "test property " + one.tag(),
                                one.text().contains("${") ? Facts.COMPUTED : one.text(),
                                file,
                                "<" + one.tag() + ">")));
    }

    private void patterns(String name, List<Xml> patterns) {
        var text = patterns.stream()
                .map(pattern -> resolved(pattern.text()).replaceAll("\\.(?:java|kt|class)$", ""))
                .distinct()
                .sorted()
                .collect(Collectors.joining(" "));
        facts.add(name, text, file, name.endsWith("included") ? "<includes>" : "<excludes>");
    }

    private void module(String folder) {
        tree.file(folder + "/pom.xml").ifPresent(module -> {
            var xml = Xml.read(module.absolute());
            facts.add("module " + folder, xml.text("artifactId"), module, "<artifactId>" + xml.text("artifactId"));
            var main = xml.text("properties", "carillon.mainClass");
            if (!main.isEmpty()) {
                facts.add("main class of " + folder, main, module, "<carillon.mainClass>");
                facts.add("manifest entry Main-Class of " + folder, main, module, "<carillon.mainClass>");
            }
            if (xml.anywhere("arg").contains("-Xexplicit-api=strict")) {
                facts.add("explicit API in " + folder, "strict", module, "-Xexplicit-api");
            }
            xml.anywhere("arg").stream()
                    .filter(option -> option.startsWith(MAIN_SOURCES))
                    .forEach(path -> facts.add(
                            "source path of " + folder,
                            path.replace("${project.basedir}/", "").replace(':', ' '),
                            module,
                            MAIN_SOURCES));
            xml.anywhere("implicit")
                    .forEach(kind -> facts.add("implicit class files of " + folder, kind, module, "<implicit>"));
            xml.anywhere("Automatic-Module-Name")
                    .forEach(name -> facts.add("module name of " + folder, name, module, "<Automatic-Module-Name>"));
        });
    }

    private void property(String name, String property) {
        if (properties.containsKey(property)) {
            facts.add(name, resolved("${" + property + "}"), file, "<" + property + ">");
        }
    }

    private String resolved(String text) {
        return PROPERTY.matcher(text).replaceAll(match -> properties.getOrDefault(match.group(1), Facts.COMPUTED));
    }

    private Xml plugin(String artifact) {
        return pom.all("build", "plugins", "plugin").stream()
                .filter(plugin -> plugin.text("artifactId").equals(artifact))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("pom.xml has no " + artifact
                        + " under build/plugins: that is where this test reads its settings"));
    }
}
