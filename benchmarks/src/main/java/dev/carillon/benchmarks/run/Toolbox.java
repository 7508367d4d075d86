package dev.carillon.benchmarks.run;

import dev.carillon.benchmarks.model.Variant.Jdk;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What is needed to start variants: JDKs, compiler, cores, class path, a folder for what is made. */
public final class Toolbox {
    private final Jdks jdks;
    private final Cores cores;
    private final Path output;
    private final CCompiler compiler;

    private Toolbox(Jdks jdks, Cores cores, Path module) {
        this.jdks = jdks;
        this.cores = cores;
        output = outputOf(module, System.getProperty("java.class.path"));
        compiler = new CCompiler("gcc", module.resolve("src/main/c"), output.resolve("c"));
    }

    /** Where a build puts what it makes: {@code build} when these classes are Gradle's, else Maven's {@code target}. */
    static Path outputOf(Path module, String classPath) {
        Path ofGradle = module.resolve("build");
        boolean gradle = Stream.of(classPath.split(File.pathSeparator))
                .anyMatch(entry -> Path.of(entry).toAbsolutePath().startsWith(ofGradle));
        return gradle ? ofGradle : module.resolve("target");
    }

    /** Looks around: the project's folder is {@code carillon.root}, or the current one or one above it. */
    public static Toolbox find() throws IOException {
        Path start = Path.of(System.getProperty("carillon.root", "")).toAbsolutePath();
        for (Path folder = start; folder != null; folder = folder.getParent()) {
            Path module = folder.resolve("benchmarks");
            if (Files.isDirectory(module.resolve("src/main/c"))) {
                return new Toolbox(Jdks.find(), Cores.choose(), module);
            }
        }
        throw new IllegalStateException("no folder benchmarks/src/main/c in " + start
                + " or above it; start from the project's folder or set -Dcarillon.root");
    }

    /** Returns the JDKs of this run. */
    public Jdks jdks() {
        return jdks;
    }

    /** Returns the cores of this run. */
    public Cores cores() {
        return cores;
    }

    /** Returns the folder for results and whatever else is made on the way. */
    public Path scratch() {
        return output.resolve("bench");
    }

    CCompiler compiler() {
        return compiler;
    }

    String classPath() {
        return System.getProperty("java.class.path");
    }

    String jarsOnly(String mainClass) throws RunFailure {
        return new Jars(scratch().resolve("jars")).classPath(classPath(), mainClass);
    }

    /** Returns the start of a command: the VM alone. */
    List<String> java(Jdk wanted) throws Skipped {
        return new ArrayList<>(List.of(home(wanted).java().toString()));
    }

    /** Returns the flag without which newer JDKs warn about native calls, where it is known. */
    List<String> nativeAccess(Jdk wanted) throws Skipped {
        return home(wanted).version().feature() >= Jdks.FIRST_WITH_FFM
                ? List.of("--enable-native-access=ALL-UNNAMED")
                : List.of();
    }

    private Jdks.Home home(Jdk wanted) throws Skipped {
        return jdks.home(wanted)
                .orElseThrow(() -> new Skipped("no JDK from " + Jdks.FIRST_WITH_FFM
                        + " on is installed; name one with -Dcarillon.jdk2=FOLDER"));
    }
}
