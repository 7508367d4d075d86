package dev.carillon.guards.tree;

import java.util.List;
import java.util.Set;

/** The modules of a tree, as its root pom lists them; their order is the build's. */
public final class Modules {
    /** The folders whose artifacts users get. What they do is held to a stricter rule than samples and benchmarks. */
    public static final Set<String> PUBLISHED =
            Set.of("runtime-java", "carillon-test", "shm-ipc", "coroutines-kt", "admin-http", "metrics-micrometer");

    private Modules() {}

    public static List<String> of(SourceTree tree) {
        return tree.file("pom.xml").stream()
                .flatMap(pom -> Xml.read(pom.absolute()).all("modules", "module").stream())
                .map(Xml::text)
                .toList();
    }

    /** The artifact that a module's pom names. */
    public static String artifact(SourceTree tree, String module) {
        return tree.file(module + "/pom.xml")
                .map(pom -> Xml.read(pom.absolute()).text("artifactId"))
                .filter(name -> !name.isEmpty())
                .orElseThrow(() -> new IllegalStateException(
                        module + "/pom.xml names no artifactId: add one, or take the module out of the root pom"));
    }
}
