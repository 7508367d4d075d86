package dev.carillon.guards.api;

import dev.carillon.guards.tree.ClassRoots;
import dev.carillon.guards.tree.Descriptors;
import dev.carillon.guards.tree.SourceTree;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** What users of a module can name: public types of packages exported to everyone, with their members. */
final class PublicApi {
    private PublicApi() {}

    /** The lines of each public type, by the type's name. No class is initialised for it. */
    static Map<String, List<String>> of(SourceTree tree, String module, List<Path> folders, ClassLoader loader) {
        var exported = exported(folders);
        var internal = KotlinInternal.of(tree, module);
        var types = new TreeMap<String, List<String>>();
        for (var folder : folders) {
            for (var file : ClassRoots.classFiles(List.of(folder))) {
                var name = folder.relativize(file)
                        .toString()
                        .replaceAll("\\.class$", "")
                        .replace('/', '.');
                if (!name.endsWith("-info") && exported.test(name.substring(0, Math.max(0, name.lastIndexOf('.'))))) {
                    var type = load(name, loader);
                    if (isPublic(type) && !internal.hides(type)) {
                        types.put(
                                TypeText.name(type),
                                new TypeDump(type, member -> internal.hides(type, member)).lines());
                    }
                }
            }
        }
        return types;
    }

    static String text(Map<String, List<String>> types) {
        return types.values().stream()
                .map(lines -> String.join("\n", lines) + "\n")
                .collect(Collectors.joining("\n"));
    }

    /** Without a module descriptor, as in Kotlin, every package is exported. */
    private static Predicate<String> exported(List<Path> folders) {
        return Descriptors.in(folders)
                .map(descriptor -> (Predicate<String>) name -> Descriptors.exports(descriptor, name))
                .orElse(name -> true);
    }

    private static boolean isPublic(Class<?> type) {
        for (Class<?> outer = type; outer != null; outer = outer.getEnclosingClass()) {
            int modifiers = outer.getModifiers();
            if (!Modifier.isPublic(modifiers) && !Modifier.isProtected(modifiers)) {
                return false;
            }
        }
        return !type.isSynthetic() && !type.isAnonymousClass() && !type.isLocalClass();
    }

    private static Class<?> load(String name, ClassLoader loader) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            throw new IllegalStateException(
                    "cannot load " + name
                            + " to read its API: build its module again, and check that guards depends on it",
                    e);
        }
    }
}
