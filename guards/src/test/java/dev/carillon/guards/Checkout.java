package dev.carillon.guards;

import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * A small checkout with the real launcher, and stand-ins on its PATH: a {@code mvn} that writes down its runs and makes
 * empty jars, and a JDK whose {@code java} prints its arguments.
 */
final class Checkout {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Path LAUNCHER = Path.of(System.getProperty("carillon.root", ".."), "carillon");

    private static final String MAVEN = """
            #!/bin/sh
            echo run >> "$TOOLS/builds"
            for module in samples benchmarks; do
              mkdir -p $module/target
              : > $module/target/carillon-$module-0.jar
              printf %s "$PWD/$module/target/carillon-$module-0.jar" > $module/target/runtime-classpath.txt
            done
            """;

    private static final String JAVA = """
            #!/bin/sh
            for argument; do echo "argument $argument"; done
            """;

    private final Path home;
    private final Path tools;

    private Checkout(Path home, Path tools) {
        this.home = home;
        this.tools = tools;
    }

    static Checkout in(Path folder) {
        Checkout checkout = new Checkout(folder.resolve("checkout"), folder.resolve("tools"));
        checkout.source("samples/pom.xml", "<project/>");
        checkout.source("samples/src/main/java/dev/carillon/samples/Hello.java", "");
        checkout.source("samples/src/main/java/dev/carillon/samples/Other.java", "");
        checkout.maven(MAVEN);
        checkout.java(JAVA);
        write(checkout.tools.resolve("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n");
        script(checkout.tools.resolve("jdk/bin/javac"), "#!/bin/sh\n");
        try {
            Files.copy(
                    LAUNCHER,
                    checkout.home.resolve("carillon"),
                    StandardCopyOption.COPY_ATTRIBUTES,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot copy " + LAUNCHER, e);
        }
        return checkout;
    }

    /** The whole checkout, with all that was built, at another place; with the same tools. */
    Checkout copiedTo(Path place) {
        try (ChildProcess cp =
                ChildCommand.of("cp", "-a", home.toString(), place.toString()).start()) {
            cp.awaitExit(PATIENCE);
        }
        return new Checkout(place, tools);
    }

    Path home() {
        return home;
    }

    Path tools() {
        return tools;
    }

    void source(String path, String text) {
        write(home.resolve(path), text);
    }

    void maven(String text) {
        script(tools.resolve("mvn"), text);
    }

    /** What a build does that succeeds, for scripts that do something before it. */
    static String succeeds() {
        return MAVEN.lines().skip(1).reduce("", (all, line) -> all + line + "\n");
    }

    void java(String text) {
        script(tools.resolve("jdk/bin/java"), text);
    }

    /** How often Maven was started. */
    int builds() {
        Path builds = tools.resolve("builds");
        try (Stream<String> lines = Files.exists(builds) ? Files.lines(builds) : Stream.empty()) {
            return (int) lines.count();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + builds, e);
        }
    }

    ChildCommand launcher(String... words) {
        String[] command = Stream.concat(Stream.of(home.resolve("carillon").toString()), Stream.of(words))
                .toArray(String[]::new);
        return command(command);
    }

    /** Any command, with the tools. */
    ChildCommand command(String... command) {
        return ChildCommand.of(command)
                .workingDirectory(tools)
                .environment("PATH", tools + ":" + System.getenv("PATH"))
                .environment("JAVA_HOME", tools.resolve("jdk").toString())
                .environment("TOOLS", tools.toString());
    }

    ChildExit run(String... words) {
        return run(launcher(words));
    }

    static ChildExit run(ChildCommand command) {
        try (ChildProcess child = command.start()) {
            return child.awaitExit(PATIENCE);
        }
    }

    /** What the stand-in of the VM was given, after the flags of ours. */
    static List<String> arguments(ChildExit exit) {
        return exit.stdout().stream()
                .filter(line -> line.startsWith("argument "))
                .map(line -> line.substring("argument ".length()))
                .toList();
    }

    private static void script(Path path, String text) {
        write(path, text);
        if (!path.toFile().setExecutable(true, false)) {
            throw new AssertionError(path + " cannot be made executable");
        }
    }

    private static void write(Path path, String text) {
        try {
            Files.createDirectories(path.resolveSibling(""));
            Files.writeString(path, text);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + path, e);
        }
    }
}
