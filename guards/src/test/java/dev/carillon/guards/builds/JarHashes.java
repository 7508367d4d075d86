package dev.carillon.guards.builds;

import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.Guard;
import dev.carillon.guards.tree.Modules;
import dev.carillon.guards.tree.SourceTree;
import dev.carillon.guards.tree.Xml;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Compares every jar that Maven resolved with the list of hashes in the tree, and the list with Gradle's. */
final class JarHashes {
    static final String LIST = "gradle/jars.sha256";
    static final String GRADLE = "gradle/verification-metadata.xml";

    private final SourceTree tree;
    private final Path repository;
    private final List<Finding> findings = new ArrayList<>();
    private final Map<String, Jar> resolved = new TreeMap<>();
    private final List<String> unread = new ArrayList<>();

    /** @param repository Maven's local repository */
    JarHashes(SourceTree tree, Path repository) {
        this.tree = tree;
        this.repository = repository;
        var paths = new HashSet<String>();
        for (var module : Modules.of(tree)) {
            // Below target, which is no part of the tree: the build writes it.
            var file = tree.root().resolve(module).resolve("target/test-classpath.txt");
            if (Files.exists(file)) {
                paths.addAll(entries(file));
            } else {
                unread.add(module);
            }
        }
        paths.forEach(this::resolve);
    }

    /** Why there is nothing to compare, where that is so. */
    Optional<String> skipped() {
        return unread.size() < Modules.of(tree).size()
                ? Optional.empty()
                : Optional.of(
                        "no module has a target/test-classpath.txt: this is no Maven build. Gradle checks the same "
                                + "hashes by itself, from " + GRADLE);
    }

    List<Finding> check(boolean update) {
        if (update && unread.isEmpty()) {
            var lines = resolved.values().stream().map(jar -> jar.line() + "\n").collect(Collectors.joining());
            Guard.write(tree.root().resolve(LIST), lines);
        } else {
            compare(listed());
        }
        tree.file(GRADLE).ifPresent(file -> gradle(Xml.read(file.absolute())));
        return findings;
    }

    private void resolve(String path) {
        var jar = Jar.in(repository, Path.of(path));
        jar.ifPresent(found -> resolved.put(found.coordinate(), found));
        if (jar.isEmpty()) {
            findings.add(new Finding(
                    path,
                    "a jar that is not in Maven's repository " + repository,
                    "depend on it by its coordinates, so that it can be listed"));
        }
    }

    private void compare(Map<String, String> listed) {
        var accept = "  " + Guard.accept("JarHashesTest");
        resolved.forEach((coordinate, jar) -> {
            var hash = listed.remove(coordinate);
            if (hash == null) {
                findings.add(finding(
                        coordinate,
                        "this jar is not listed; it is " + jar.sha256(),
                        "if you added it on purpose and trust where it came from, run" + accept));
            } else if (!hash.equals(jar.sha256())) {
                findings.add(finding(
                        coordinate,
                        "the jar is " + jar.sha256() + ", the list says " + hash,
                        "a released jar never changes: delete it from " + repository
                                + " and build again; if it is still "
                                + "another, find out who changed it before you trust it"));
            }
        });
        if (unread.isEmpty()) {
            listed.keySet()
                    .forEach(coordinate -> findings.add(finding(
                            coordinate, "listed, but no module uses it any more", "to take it out, run" + accept)));
        } else {
            System.out.println(
                    "JarHashesTest: not looking for listed jars that are no longer used, since these modules "
                            + "were not built: " + unread);
        }
    }

    /** With the line of the list, where the jar has one. */
    private Finding finding(String coordinate, String problem, String remedy) {
        var line = tree.file(LIST)
                .filter(file -> file.text().contains(coordinate + "\n"))
                .map(file -> ":" + file.lineOf(coordinate + "\n"));
        return new Finding(LIST + line.orElse(""), coordinate + ": " + problem, remedy);
    }

    private Map<String, String> listed() {
        var listed = new TreeMap<String, String>();
        tree.file(LIST)
                .ifPresent(file -> file.lines().forEach(line -> {
                    var words = line.split("\\s+", -1);
                    if (words.length == 2) {
                        listed.put(words[1], words[0]);
                    } else {
                        findings.add(
                                new Finding(LIST, "cannot read: " + line, "write  SHA256  group:artifact:version"));
                    }
                }));
        return listed;
    }

    /** Gradle names files, and may know more of them: poms, sources, its own plugins. */
    private void gradle(Xml metadata) {
        var known = new TreeMap<String, Set<String>>();
        metadata.all("components", "component")
                .forEach(component -> component.all("artifact").forEach(artifact -> {
                    var key = component.attribute("group") + ":" + component.attribute("name") + ":"
                            + component.attribute("version") + "/" + artifact.attribute("name");
                    artifact.all("sha256").forEach(sha -> {
                        var hashes = known.computeIfAbsent(key, file -> new HashSet<>());
                        hashes.add(sha.attribute("value"));
                        sha.all("also-trust").forEach(also -> hashes.add(also.attribute("value")));
                    });
                }));
        resolved.values().forEach(jar -> {
            var key = jar.group() + ":" + jar.artifact() + ":" + jar.version() + "/" + jar.fileName();
            var hashes = known.getOrDefault(key, Set.of());
            if (!hashes.contains(jar.sha256())) {
                findings.add(new Finding(
                        GRADLE,
                        hashes.isEmpty()
                                ? "does not name " + key
                                : key + " is " + hashes + " there, and " + jar.sha256() + " here",
                        "run  gradle --write-verification-metadata sha256 , or add " + "<sha256 value=\"" + jar.sha256()
                                + "\"/>"));
            }
        });
    }

    private static List<String> entries(Path file) {
        try {
            return List.of(Files.readString(file).strip().split(File.pathSeparator)).stream()
                    .filter(entry -> entry.endsWith(".jar"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file + ": build its module again", e);
        }
    }
}
