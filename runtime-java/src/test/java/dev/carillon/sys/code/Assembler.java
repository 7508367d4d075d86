package dev.carillon.sys.code;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Holds the bytes of a listing against what the assembler makes of it. */
public final class Assembler {
    private Assembler() {}

    /**
     * Fails if the bytes are not those of the assembly.
     *
     * @param folder for files
     * @param machine what the code is for
     * @param layout the class whose constants the code has by name
     * @param data where its data begin
     */
    public static void assertSame(Path folder, Machine machine, CodeListing listing, Class<?> layout, String data)
            throws IOException, IllegalAccessException {
        String assembler = machine.tool("as");
        StringBuilder source = new StringBuilder();
        for (Field field : layout.getDeclaredFields()) {
            field.setAccessible(true);
            source.append(".set ")
                    .append(field.getName())
                    .append(", ")
                    .append(field.getInt(null))
                    .append('\n');
        }
        source.append(".set data, ").append(data).append('\n').append(listing.assembly());
        Files.writeString(folder.resolve("code.s"), source);
        run(folder, assembler, "-o", "code.o", "code.s");
        run(folder, machine.tool("objcopy"), "-O", "binary", "-j", ".text", "code.o", "code.bin");
        assertArrayEquals(Files.readAllBytes(folder.resolve("code.bin")), listing.bytes());
    }

    private static void run(Path folder, String... command) {
        ChildExit exit = ChildCommand.of(command).workingDirectory(folder).run(Duration.ofSeconds(30));
        assertEquals(0, exit.code(), exit::toString);
    }
}
