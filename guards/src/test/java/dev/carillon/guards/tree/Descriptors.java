package dev.carillon.guards.tree;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Reads compiled module descriptors. */
public final class Descriptors {
    private Descriptors() {}

    /** The descriptor in a module's class folders; a Kotlin module has none. */
    public static Optional<ModuleDescriptor> in(List<Path> folders) {
        return folders.stream()
                .map(folder -> folder.resolve("module-info.class"))
                .filter(Files::exists)
                .map(Descriptors::read)
                .findFirst();
    }

    /** True where everyone may see a package. */
    public static boolean exports(ModuleDescriptor descriptor, String packageName) {
        return descriptor.exports().stream()
                .anyMatch(export -> !export.isQualified() && export.source().equals(packageName));
    }

    private static ModuleDescriptor read(Path file) {
        try (var in = Files.newInputStream(file)) {
            return ModuleDescriptor.read(in);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file + ": build the module again", e);
        }
    }
}
