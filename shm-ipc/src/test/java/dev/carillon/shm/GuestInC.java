package dev.carillon.shm;

import dev.carillon.loop.EventLoop;
import dev.carillon.process.Child;
import dev.carillon.process.Spawn;
import dev.carillon.process.Stdio;
import dev.carillon.test.CProgram;
import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.Futures;
import dev.carillon.test.Programs;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A program in C that sends back what it gets; it has been compiled against the headers beside it, with nothing else of ours.
 *
 * @param folder where its output goes
 */
record GuestInC(Path program, Path folder) {
    private static final List<String> HEADERS =
            List.of("carillon_shm.h", "carillon_wait.h", "carillon_frames.h", "carillon_guest.h");

    /** Without a warning. */
    static GuestInC compile(Path folder, String... flags) {
        try {
            for (String each : HEADERS) {
                Files.writeString(folder.resolve(each), resource("segment/" + each));
            }
            List<String> all = new ArrayList<>(List.of("-std=c11", "-Wextra", "-Werror"));
            all.addAll(List.of(flags));
            Path program = CProgram.compile(folder, "echo", resource("segment/echo.c"), all.toArray(String[]::new));
            return new GuestInC(program, folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As {@link #compile}, so that each access outside of its memory, and each leak, ends it with another exit code. */
    static GuestInC compileSanitized(Path folder) {
        Programs.need("gcc");
        for (String library : List.of("libasan.so", "libubsan.so")) {
            ChildExit found =
                    ChildCommand.of("gcc", "-print-file-name=" + library).run(LinkPair.LIMIT);
            Programs.need(library, found.stdout().stream().anyMatch(path -> path.startsWith("/")));
        }
        return compile(folder, "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all");
    }

    static String resource(String name) throws IOException {
        try (InputStream source = Objects.requireNonNull(GuestInC.class.getResourceAsStream(name), name)) {
            return new String(source.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private Path out() {
        return folder.resolve("out");
    }

    /** Starts it with a link, and without what an earlier one has printed. */
    Child spawn(ShmHost host, PeerTicket ticket, EventLoop loop, String... arguments) {
        try {
            Files.deleteIfExists(out());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Spawn.Builder command = Spawn.command(program, arguments)
                .stdin(Stdio.nothing())
                .stdout(Stdio.append(out()))
                .stderr(Stdio.append(out()));
        return host.spawn(command, ticket, loop);
    }

    /** What it has printed. */
    String output() {
        try {
            return Files.readString(out());
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Waits for its end: its exit, and all that it has printed. */
    String end(Child child) {
        return Futures.get(child.exit()) + "\n" + output();
    }
}
