package dev.carillon.guards.tree;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Where each module's compiled main classes are. The class path of the tests says which of the two builds runs; without
 * a hint there, Maven's folder is taken before Gradle's.
 */
public final class ClassRoots {
    private final Path root;
    private final Map<String, List<Path>> folders = new TreeMap<>();

    private ClassRoots(Path root) {
        this.root = root;
    }

    /** The class folders of all modules, by module. */
    public static Map<String, List<Path>> of(SourceTree tree, String classPath) {
        var roots = new ClassRoots(tree.root());
        var gradle = Stream.of(classPath.split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().normalize())
                .filter(entry -> entry.startsWith(tree.root()))
                .anyMatch(entry -> tree.root().relativize(entry).toString().matches("[^/]+/build/.*"));
        for (var module : Modules.of(tree)) {
            roots.add(module, gradle);
        }
        return roots.folders;
    }

    private void add(String module, boolean gradle) {
        var maven = List.of(root.resolve(module).resolve("target/classes"));
        var built = gradle ? inGradle(module) : maven;
        var present = built.stream().filter(Files::isDirectory).toList();
        if (!present.isEmpty()) {
            folders.put(module, present);
        }
    }

    private List<Path> inGradle(String module) {
        var classes = root.resolve(module).resolve("build/classes");
        return Stream.of("java", "kotlin")
                .map(language -> classes.resolve(language).resolve("main"))
                .toList();
    }

    /** Every class file below these folders, in order. */
    public static List<Path> classFiles(List<Path> folders) {
        var files = new ArrayList<Path>();
        for (var folder : folders) {
            try (var below = Files.walk(folder)) {
                below.filter(file -> file.toString().endsWith(".class"))
                        .sorted()
                        .forEach(files::add);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot list the classes below " + folder, e);
            }
        }
        return files;
    }
}
