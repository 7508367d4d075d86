package dev.carillon.process;

import static dev.carillon.test.Futures.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.ExitStatus;
import dev.carillon.Signal;
import dev.carillon.test.CProgram;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Signals to a child, as seen by a program in C. */
final class SendingIT extends ChildCase {
    private static final String RECEIVER = """
            #include <signal.h>
            #include <stdio.h>
            #include <unistd.h>
            int main(void) {
                sigset_t all;
                sigfillset(&all);
                sigprocmask(SIG_SETMASK, &all, NULL);
                puts("ready");
                fflush(stdout);
                for (;;) {
                    siginfo_t info;
                    int signal = sigwaitinfo(&all, &info);
                    printf("%d code %d value %d from %d\\n", signal, info.si_code, info.si_value.sival_int,
                           info.si_pid == getppid());
                    fflush(stdout);
                    if (signal == SIGTERM) {
                        return 9;
                    }
                }
            }
            """;

    @TempDir
    private Path folder;

    @Test
    void signalsArriveWithTheirValueAndSender() throws Exception {
        Path program = CProgram.compile(folder, "receiver", RECEIVER);
        try (Child child =
                Spawn.command(program.toString()).stdout(Stdio.pipe()).start(loop)) {
            assertEquals("ready", line(child));
            assertTrue(child.queue(Signal.realtime(2), 4_711));
            assertEquals("36 code -1 value 4711 from 1", line(child));
            assertTrue(child.queue(Signal.SIGUSR1, -1));
            assertEquals("10 code -1 value -1 from 1", line(child));
            assertTrue(child.send(Signal.SIGTERM));
            assertEquals("15 code 0 value 0 from 1", line(child));
            assertEquals(ExitStatus.exited(9), Running.exitOf(child));
            assertFalse(child.send(Signal.SIGTERM));
        }
    }

    private static String line(Child child) {
        StringBuilder line = new StringBuilder();
        ByteBuffer one = ByteBuffer.allocate(1);
        while (true) {
            assertEquals(1, get(child.stdout().readSomeAsync(one.clear())));
            char letter = StandardCharsets.US_ASCII.decode(one.flip()).get();
            if (letter == '\n') {
                return line.toString();
            }
            line.append(letter);
        }
    }
}
