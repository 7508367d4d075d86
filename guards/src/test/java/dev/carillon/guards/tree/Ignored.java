package dev.carillon.guards.tree;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The part of {@code .gitignore} that we write: {@code name/} for a folder anywhere, anything else a pattern for a
 * file's name, {@code #} a comment.
 */
final class Ignored {
    private final Set<String> folders = new HashSet<>(Set.of(".git"));
    private final List<PathMatcher> names = new ArrayList<>();

    private Ignored() {}

    static Ignored read(Path root) throws IOException {
        var ignored = new Ignored();
        var list = root.resolve(".gitignore");
        if (Files.exists(list)) {
            Files.readAllLines(list).stream().map(String::strip).forEach(ignored::add);
        }
        return ignored;
    }

    private void add(String line) {
        if (line.endsWith("/")) {
            folders.add(line.substring(0, line.length() - 1));
        } else if (!line.isEmpty() && !line.startsWith("#")) {
            names.add(FileSystems.getDefault().getPathMatcher("glob:" + line));
        }
    }

    boolean folder(String name) {
        return folders.contains(name);
    }

    boolean file(String name) {
        return names.stream().anyMatch(pattern -> pattern.matches(Path.of(name)));
    }
}
