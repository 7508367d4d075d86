package dev.carillon.sys.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.sys.code.Machine;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Asks the C compiler of a machine what expressions are worth there. */
final class GccProgram {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Pattern UNKNOWN =
            Pattern.compile("error: [‘'](\\w+)[’'] undeclared|no member named [‘'](\\w+)[’']");

    private final Path folder;
    private final Machine machine;
    private final List<String> headers;
    private final Map<String, String> expressions = new LinkedHashMap<>();

    GccProgram(Path folder, Machine machine, List<String> headers) {
        this.folder = folder;
        this.machine = machine;
        this.headers = headers;
    }

    /** Asks for an integer expression, under a name for the answer. */
    void ask(String name, String expression) {
        expressions.put(name, expression);
    }

    /** What the headers of this machine know; names that they are too old for are dropped and printed. */
    Map<String, Long> answers() throws IOException {
        ChildExit exit = compile();
        if (exit.code() != 0) {
            Set<String> dropped = new TreeSet<>();
            for (String line : exit.stderr()) {
                Matcher matcher = UNKNOWN.matcher(line);
                if (matcher.find()) {
                    String name = matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
                    dropped.add(name);
                }
            }
            expressions
                    .values()
                    .removeIf(value -> dropped.stream().anyMatch(name -> value.matches(".*\\b" + name + "\\b.*")));
            System.out.println("not compared, since the headers here are too old for them: " + dropped);
            exit = compile();
            assertEquals(0, exit.code(), exit::toString);
        }
        return run();
    }

    private ChildExit compile() throws IOException {
        StringBuilder source = new StringBuilder("#define _GNU_SOURCE\n");
        headers.forEach(header -> source.append("#include <").append(header).append(">\n"));
        source.append("int main(void) {\n");
        expressions.forEach((name, expression) ->
                source.append("printf(\"%s %%lld\\n\", (long long) (%s));%n".formatted(name, expression)));
        Files.writeString(folder.resolve("ask.c"), source.append("return 0;\n}\n"));
        return ChildCommand.of(machine.tool("gcc"), "-w", "-static", "-o", "ask", "ask.c")
                .workingDirectory(folder)
                .environment("LC_ALL", "C")
                .run(LIMIT);
    }

    private Map<String, Long> run() {
        List<String> command = machine.command(folder.resolve("ask").toString());
        try (ChildProcess program =
                ChildCommand.of(command.toArray(String[]::new)).start()) {
            Map<String, Long> answers = new HashMap<>();
            for (String line : program.awaitExit(LIMIT).stdout()) {
                int space = line.indexOf(' ');
                answers.put(line.substring(0, space), Long.valueOf(line.substring(space + 1)));
            }
            return answers;
        }
    }
}
