package dev.carillon.test;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Starts a main class or a jar in a VM of its own: {@code ChildJvm.of(Victim.class).args("7").start()}.
 *
 * <p>The child has the class path of this test, checks on ({@code -Dcarillon.checks=true}), UTF-8, and native access
 * where the JDK asks for it, so that its output holds nothing but its own lines. Its temporary folder is its own and goes
 * with the close of its process, unless the test names another by a flag.
 *
 * <p><b>Threading</b> One thread at a time.
 */
public final class ChildJvm extends ChildBuilder<ChildJvm> {
    /** The class path, the module path, and what Surefire says when the class path is but a jar that names others. */
    private static final List<String> PATH_PROPERTIES =
            List.of("java.class.path", "jdk.module.path", "surefire.test.class.path");

    private final Optional<Path> jar;
    private final String mainClass;
    private final List<String> vmFlags = new ArrayList<>();
    private final List<String> arguments = new ArrayList<>();
    private final List<Path> classPath = new ArrayList<>();
    private Jdk jdk = Jdk.current();

    private ChildJvm(Optional<Path> jar, String mainClass) {
        this.jar = jar;
        this.mainClass = mainClass;
    }

    /** A class with a {@code main}; one that is nested in the test will do. */
    public static ChildJvm of(Class<?> main) {
        return of(main.getName());
    }

    /** A class with a {@code main}, by its name. */
    public static ChildJvm of(String mainClass) {
        return new ChildJvm(Optional.empty(), mainClass);
    }

    /** A jar whose manifest names a main class; it has no class path but its own. */
    public static ChildJvm jar(Path jar) {
        return new ChildJvm(Optional.of(jar), "");
    }

    /** Runs on another JDK than this test does. */
    public ChildJvm jdk(Jdk other) {
        jdk = other;
        return this;
    }

    /** Adds flags for the VM. */
    public ChildJvm vmFlags(String... flags) {
        vmFlags.addAll(List.of(flags));
        return this;
    }

    /** Adds arguments for the program. */
    public ChildJvm args(String... args) {
        arguments.addAll(List.of(args));
        return this;
    }

    /** Adds to the class path, in front of that of this test. */
    public ChildJvm classPath(Path... entries) {
        classPath.addAll(List.of(entries));
        return this;
    }

    @Override
    public ChildProcess start() {
        try {
            TemporaryFolder temporary = new TemporaryFolder(otherUser());
            return start(command(List.of("-Djava.io.tmpdir=" + temporary.path())), ChildProcess.Kind.JVM, temporary);
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot make a temporary folder for " + mainClass, failure);
        }
    }

    /** The command line, for those who start the VM themselves; it has no environment and no folder. */
    public List<String> command() {
        return command(List.of());
    }

    private List<String> command(List<String> firstFlags) {
        List<String> command = new ArrayList<>();
        command.add(jdk.java().toString());
        command.addAll(firstFlags);
        command.addAll(List.of("-Dcarillon.checks=true", "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8"));
        command.add("-Dstderr.encoding=UTF-8");
        if (jdk.hasForeignMemory()) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(vmFlags);
        jar.ifPresentOrElse(
                file -> command.addAll(List.of("-jar", reachable(file))),
                () -> command.addAll(List.of("-cp", wholeClassPath(), mainClass)));
        command.addAll(arguments);
        return command;
    }

    @Override
    ChildJvm self() {
        return this;
    }

    private String wholeClassPath() {
        Stream<String> own = PATH_PROPERTIES.stream()
                .flatMap(property -> Stream.of(System.getProperty(property, "").split(File.pathSeparator, -1)));
        return Stream.concat(classPath.stream().map(Path::toString), own)
                .filter(entry -> !entry.isEmpty())
                .distinct()
                .map(entry -> reachable(Path.of(entry)))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Absolute, as the child may start in another folder, and where its user can read it. */
    private String reachable(Path entry) {
        return (otherUser() ? OpenClassPath.entry(entry) : entry)
                .toAbsolutePath()
                .toString();
    }
}
