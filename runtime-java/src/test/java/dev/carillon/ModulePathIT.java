package dev.carillon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** A program of a user on the module path: compiled, linked into an image, and run. */
final class ModulePathIT {
    private static final String MODULE = "module consumer { requires dev.carillon.runtime; }";
    private static final String MAIN = """
            package consumer;
            public class Main {
                public static void main(String[] args) throws Exception {
                    System.out.println(dev.carillon.process.Spawn.command("true").start().exit().get());
                    System.exit(0);
                }
            }
            """;

    private final Path root = Path.of(System.getProperty("carillon.root", "..")).toAbsolutePath();

    @TempDir
    private Path folder;

    /** A user's module path has what the POM gives to users, and no more. */
    @Test
    void aConsumerIsCompiledLinkedAndRun() throws Exception {
        Path jmods = Path.of(System.getProperty("java.home"), "jmods");
        Assumptions.assumeTrue(Files.isDirectory(jmods), "this JDK has no jmods to link: " + jmods);
        List<String> given =
                Stream.of("jna-jpms", "slf4j-api").map(ModulePathIT::jar).toList();
        List<String> all = with(given, jar("jspecify"));
        Path runtime = folder.resolve("runtime");
        Path main = root.resolve("runtime-java/src/main/java");
        String withSignatures = path(List.of(
                main.toString(), root.resolve("runtime-java/src/stub/java").toString()));
        compile(runtime, all, sources(main), "--release", "17", "-implicit:none", "-sourcepath", withSignatures);

        Path consumer = Files.createDirectories(folder.resolve("source"));
        Files.writeString(consumer.resolve("module-info.java"), MODULE);
        Files.writeString(consumer.resolve("Main.java"), MAIN);
        Path compiled = folder.resolve("consumer");
        List<String> ofUser = with(isOptional("jspecify") ? given : all, runtime.toString());
        compile(compiled, ofUser, sources(consumer));

        Path image = folder.resolve("image");
        // Annotations are not needed at run time, and not linked.
        String path = path(with(with(given, runtime.toString()), compiled.toString()));
        run("jlink", List.of("--add-modules", "consumer", "--module-path", path, "--output", image.toString()));
        Path messages = folder.resolve("messages");
        Process program = new ProcessBuilder(image.resolve("bin/java").toString(), "-m", "consumer/consumer.Main")
                .redirectError(messages.toFile())
                .start();
        assertEquals("exit code 0\n", new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        assertEquals(0, program.waitFor());
        assertEquals("", Files.readString(messages), "no provider for SLF4J is no reason for its three lines");
    }

    private boolean isOptional(String artifact) throws Exception {
        Element project = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(root.resolve("pom.xml").toFile())
                .getDocumentElement();
        NodeList children = project.getChildNodes();
        for (int i = 0; i < children.getLength(); i++) {
            if (children.item(i) instanceof Element own && own.getTagName().equals("dependencies")) {
                return own.getTextContent().replaceAll("\\s+", " ").contains(artifact + " true");
            }
        }
        throw new AssertionError("pom.xml has no dependencies");
    }

    private static String jar(String artifact) {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                + File.pathSeparator
                + System.getProperty("jdk.module.path", "");
        return Stream.of(classPath.split(File.pathSeparator, -1))
                .filter(entry -> new File(entry).getName().matches(artifact + "-[0-9.]+\\.jar"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no jar of " + artifact + " in " + classPath));
    }

    private static List<String> sources(Path folder) throws Exception {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.map(Path::toString)
                    .filter(name -> name.endsWith(".java"))
                    .toList();
        }
    }

    private static List<String> with(List<String> entries, String more) {
        return Stream.concat(entries.stream(), Stream.of(more)).toList();
    }

    private static String path(List<String> entries) {
        return entries.stream().collect(Collectors.joining(File.pathSeparator));
    }

    private static void compile(Path into, List<String> modules, List<String> sources, String... options) {
        List<String> arguments = new ArrayList<>(List.of("-d", into.toString(), "-nowarn", "-p", path(modules)));
        arguments.addAll(List.of(options));
        arguments.addAll(sources);
        run("javac", arguments);
    }

    private static void run(String tool, List<String> arguments) {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        int code = ToolProvider.findFirst(tool)
                .orElseThrow(() -> new AssertionError("this JDK has no " + tool))
                .run(out, out, arguments.toArray(String[]::new));
        assertEquals(0, code, () -> tool + ": " + text);
    }
}
