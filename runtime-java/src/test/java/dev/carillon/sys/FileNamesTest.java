package dev.carillon.sys;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.sys.call.Sys;
import dev.carillon.sys.layout.Constants;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.Jdk;
import dev.carillon.test.Seeded;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names are bytes, all the way. */
// r[verify sys.names]
final class FileNamesTest {
    @TempDir
    private Path folder;

    @Test
    void anyBytesComeBackAsTheyWere(@Seeded SplittableRandom random) {
        for (int round = 0; round < 2_000; round++) {
            byte[] name = new byte[1 + random.nextInt(40)];
            for (int i = 0; i < name.length; i++) {
                // Neither a zero, which ends a name, nor a slash, which Java counts once where there are two.
                int b;
                do {
                    b = 1 + random.nextInt(255);
                } while (b == '/');
                name[i] = (byte) b;
            }
            if (random.nextBoolean()) {
                name[0] = '/';
            }
            assertArrayEquals(name, FileNames.bytesOf(FileNames.pathOf(name)));
            assertEquals(name[0] == '/', FileNames.pathOf(name).isAbsolute());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", ".", "..", "../a/./b", "a b%20%", "/a/b", "a/\u00e4/../c"})
    void aPathIsNotTidied(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        assertArrayEquals(bytes, FileNames.bytesOf(FileNames.pathOf(bytes)));
    }

    @Test
    void aFolderEndsInNoSlash() throws Exception {
        Path inner = Files.createDirectory(folder.resolve(FileNames.pathOf(new byte[] {'x', (byte) 0xff})));
        byte[] bytes = FileNames.bytesOf(inner);
        assertEquals((byte) 0xff, bytes[bytes.length - 1]);
    }

    @Test
    void aNulIsRejected() {
        assertThrows(IllegalArgumentException.class, () -> FileNames.pathOf(new byte[] {'a', 0, 'b'}));
    }

    @Test
    void aPathOfAnotherFileSystemIsRejected() throws Exception {
        URI archive = URI.create("jar:" + folder.resolve("a.zip").toUri());
        try (FileSystem zip = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
            IllegalArgumentException e =
                    assertThrows(IllegalArgumentException.class, () -> FileNames.bytesOf(zip.getPath("/a")));
            assertTrue(String.valueOf(e.getMessage()).startsWith("path=/a: is in "), e::toString);
        }
    }

    @Test
    void underTheLocaleCFilesOfAnyNameAreOpened() throws Exception {
        String script = "cd \"$1\" && printf ding > \"$(printf 'x\\303\\244\\377')\"";
        Process shell = new ProcessBuilder("sh", "-c", script, "sh", folder.toString()).start();
        assertEquals(0, shell.waitFor());
        for (Jdk jdk :
                Stream.concat(Stream.of(Jdk.current()), Jdk.second().stream()).toList()) {
            ChildExit exit = ChildJvm.of(Opening.class)
                    .jdk(jdk)
                    .args(folder.toString())
                    .environment("LC_ALL", "C")
                    .run(Duration.ofSeconds(30));
            assertEquals(List.of("4 bytes", "opened again", "removed"), exit.stdout(), exit::toString);
        }
    }

    /** Opens the one file of a folder, makes another one from its bytes, and removes that. */
    static final class Opening {
        private Opening() {}

        public static void main(String[] args) throws Exception {
            Sys sys = Sys.get();
            Path file;
            try (Stream<Path> files = Files.list(Path.of(args[0]))) {
                file = files.findFirst().orElseThrow();
            }
            try (Fd fd = sys.files().open(file, Constants.O_RDONLY, 0)) {
                System.out.println(sys.files().status(fd.acquire()).size() + " bytes");
                fd.release();
            }
            try (Fd fd = sys.files().open(FileNames.pathOf(FileNames.bytesOf(file)), Constants.O_RDONLY, 0)) {
                System.out.println(fd.isOpen() ? "opened again" : "closed");
            }
            Path other = file.resolveSibling(FileNames.pathOf(new byte[] {(byte) 0xe4}));
            sys.files().open(other, Constants.O_RDWR | Constants.O_CREAT, 0600).close();
            System.out.println(sys.files().unlink(other) && !sys.files().unlink(other) ? "removed" : "left");
        }
    }
}
