package dev.carillon.guards.tree;

import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;

/** Compiles planted Java sources, for guards that read classes. */
public final class Compiled {
    private Compiled() {}

    /** Compiles each module's {@code src/main/java} into its {@code target/classes}, one seeing those before it. */
    public static void modules(SourceTree tree, String... modules) {
        var seen = new ArrayList<String>();
        for (var module : modules) {
            var out = tree.root().resolve(module).resolve("target/classes");
            compile(tree, module, out, seen);
            seen.add(out.toString());
        }
    }

    private static void compile(SourceTree tree, String module, Path out, List<String> classPath) {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var said = new StringWriter();
        var files = compiler.getStandardFileManager(null, null, null);
        var sources = tree.stream(
                        file -> file.isMain() && file.isJava() && file.module().equals(module))
                .map(SourceFile::absolute)
                .toList();
        var options = new ArrayList<>(List.of("-d", out.toString(), "-proc:none", "-nowarn"));
        var annotations = System.getProperty("java.class.path");
        options.addAll(List.of("-cp", String.join(":", classPath) + ":" + annotations));
        if (!compiler.getTask(said, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
                .call()) {
            throw new AssertionError("the planted sources of " + module + " do not compile: " + said);
        }
    }
}
