package dev.carillon.guards.tree;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A small tree in a temporary folder, with something wrong in it, to show that a guard notices. */
public final class Planted {
    private final Path root;

    public Planted(Path root) {
        this.root = root;
    }

    public Planted with(String path, String text) {
        try {
            var file = root.resolve(path);
            Files.createDirectories(file.resolveSibling(""));
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot plant " + path + " below " + root, e);
        }
        return this;
    }

    public Path root() {
        return root;
    }

    public SourceTree tree() {
        return SourceTree.of(root);
    }
}
