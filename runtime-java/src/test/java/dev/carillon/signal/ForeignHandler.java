package dev.carillon.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A library in C whose handler of SIGURG prints a word and calls the handler before; it is
 * installed when the library is loaded. Called more than a hundred times it ends the process.
 */
final class ForeignHandler {
    private static final Path COMPILER = Path.of("/usr/bin/gcc");

    private static final String SOURCE = """
            #define _GNU_SOURCE
            #include <signal.h>
            #include <unistd.h>

            static struct sigaction before;

            static void handler(int signal, siginfo_t *info, void *context) {
                static const char word[] = WORD "\\n";
                static volatile int calls;
                if (write(1, word, sizeof word - 1) < 0 || ++calls > 100) {
                    _exit(3);
                }
                if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
                    before.sa_sigaction(signal, info, context);
                }
            }

            __attribute__((constructor)) static void install(void) {
                struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
                sigaction(SIGURG, &action, &before);
            }
            """;

    private ForeignHandler() {}

    /** Skips the test where there is no compiler. */
    static Path compile(Path folder, String word) throws IOException {
        Programs.need("gcc", Files.isExecutable(COMPILER));
        Path source = Files.writeString(folder.resolve(word + ".c"), SOURCE);
        Path library = folder.resolve("lib" + word + ".so");
        ChildExit exit = ChildCommand.of(
                        COMPILER.toString(),
                        "-O2",
                        "-Wall",
                        "-shared",
                        "-fPIC",
                        "-DWORD=\"" + word + "\"",
                        "-o",
                        library.toString(),
                        source.toString())
                .run(Duration.ofSeconds(60));
        assertEquals(0, exit.code(), exit::toString);
        return library;
    }
}
