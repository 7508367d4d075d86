package dev.carillon.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.loop.EventLoop;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Jdk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs and arguments that are not ASCII. */
final class ProgramNameIT {
    /** In a folder with a name in UTF-8 a program with a name that no charset of text has. */
    private static final String MAKE =
            "cd \"$1\" && d=$(printf 'gr\\303\\274\\303\\237e') && mkdir \"$d\" && p=\"$d/$(printf 'b\\377ll')\" && "
                    + "printf '#!/bin/sh\\nprintf %%s \"$1\" | od -An -tx1\\n' > \"$p\" && chmod +x \"$p\"";

    /** An argument that is not ASCII, however the test itself runs. */
    private static final String APPEND = "exec \"$@\" \"$(printf 'gr\\303\\274\\303\\237e')\"";

    private static final String GRUESSE = " 67 72 c3 bc c3 9f 65";
    private static final String BELL = " 62 ff 6c 6c";

    @TempDir
    private Path folder;

    // r[verify process.words]
    @Test
    void wordsAreUtf8AndPathsAreTheirBytesWhateverTheLocaleIs() {
        int run = 0;
        for (Jdk jdk :
                Stream.concat(Stream.of(Jdk.current()), Jdk.second().stream()).toList()) {
            for (String locale : List.of("C", "C.UTF-8")) {
                ChildExit exit = ChildJvm.of(Starting.class)
                        .jdk(jdk)
                        .prefix("sh", "-c", APPEND, "sh")
                        .environment("LC_ALL", locale)
                        .args(folder.resolve("run" + run++).toString())
                        .run(Running.LIMIT);
                assertEquals(
                        List.of(GRUESSE, GRUESSE, BELL, GRUESSE),
                        exit.stdout(),
                        () -> jdk + " under LC_ALL=" + locale + ": " + exit);
                assertEquals(0, exit.code(), exit::toString);
            }
        }
    }

    /** Starts a program by its name as text and as a path. */
    static final class Starting {
        private Starting() {}

        public static void main(String[] args) throws IOException {
            Path folder = Files.createDirectory(Path.of(args[0]));
            String text = "gr\u00fc\u00dfe";
            try (EventLoop loop = EventLoop.open().start()) {
                Running.linesOf(Spawn.command("sh", "-c", MAKE, "sh", folder.toString()), loop);
                Path program = onlyOne(onlyOne(folder));
                String link = folder + "/" + text + "/link";
                Running.linesOf(Spawn.command("ln", "-s", "/bin/sh", link), loop);
                String script = "printf %s \"$1\" | od -An -tx1";
                print(Spawn.command(link, "-c", script, "sh", text), loop);
                print(Spawn.command(program, text), loop);
                print(Spawn.command(program).argument(program.getFileName()), loop);
                print(Spawn.command(program, args[1]), loop);
            }
        }

        private static Path onlyOne(Path folder) throws IOException {
            try (Stream<Path> files = Files.list(folder)) {
                return files.findFirst().orElseThrow();
            }
        }

        private static void print(Spawn.Builder command, EventLoop loop) {
            Running.linesOf(command, loop).forEach(System.out::println);
        }
    }
}
