package dev.carillon.guards.tree;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * All files below a root that are ours to look at: everything but what the root's {@code .gitignore} names. It asks no
 * git, so an unpacked archive is checked like a clone.
 */
public final class SourceTree {
    private final Path root;
    private final TreeMap<String, SourceFile> files = new TreeMap<>();

    private final List<String> lostSources = new ArrayList<>();

    private SourceTree(Path root) {
        this.root = root;
    }

    /** The tree that this build builds. Read once for all guards of a run. */
    public static SourceTree real() {
        return Real.TREE;
    }

    public static SourceTree of(Path root) {
        var tree = new SourceTree(root.toAbsolutePath().normalize());
        try {
            Files.walkFileTree(tree.root, tree.new Reader(Ignored.read(root)));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list the files below " + root + ": check its permissions", e);
        }
        return tree;
    }

    public Path root() {
        return root;
    }

    public Collection<SourceFile> files() {
        return files.values();
    }

    /** Folders among the sources that {@code .gitignore} hides: they compile here and are missing everywhere else. */
    public List<String> lostSources() {
        return lostSources;
    }

    public Stream<SourceFile> stream(Predicate<SourceFile> wanted) {
        return files.values().stream().filter(wanted);
    }

    /** Files whose path below the root matches a regular expression. */
    public List<SourceFile> matching(String path) {
        return stream(file -> file.path().matches(path)).toList();
    }

    public Optional<SourceFile> file(String path) {
        return Optional.ofNullable(files.get(path));
    }

    private final class Reader extends SimpleFileVisitor<Path> {
        private final Ignored ignored;

        Reader(Ignored ignored) {
            this.ignored = ignored;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            if (folder.equals(root) || !ignored.folder(name(folder))) {
                return FileVisitResult.CONTINUE;
            }
            var path = root.relativize(folder).toString();
            if (path.matches("[^/]+/src/.*")) {
                lostSources.add(path);
            }
            return FileVisitResult.SKIP_SUBTREE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile() && !ignored.file(name(file))) {
                var path = root.relativize(file).toString();
                files.put(path, new SourceFile(file, path));
            }
            return FileVisitResult.CONTINUE;
        }

        private String name(Path path) {
            return String.valueOf(path.getFileName());
        }
    }

    private static final class Real {
        static final SourceTree TREE = of(root());

        private static Path root() {
            var named = System.getProperty("carillon.root", "");
            return named.isEmpty() ? above(Path.of("").toAbsolutePath()) : Path.of(named);
        }

        private static Path above(Path start) {
            for (Path folder = start; folder != null; folder = folder.getParent()) {
                if (Files.isDirectory(folder.resolve(".mvn"))) {
                    return folder;
                }
            }
            throw new IllegalStateException("no folder with .mvn at or above " + start
                    + ": run the guards inside the tree, or name it with -Dcarillon.root=FOLDER");
        }
    }
}
