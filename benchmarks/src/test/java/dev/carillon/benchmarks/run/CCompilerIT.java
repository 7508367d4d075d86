package dev.carillon.benchmarks.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CCompilerIT {
    @TempDir
    Path folder;

    @BeforeEach
    void writeASource() throws IOException {
        Files.writeString(folder.resolve("a.c"), "int main(void) { return 0; }\n");
        Files.writeString(folder.resolve("a.h"), "/* nothing */\n");
    }

    @Test
    void withoutACompilerTheYardstickIsLeftOut() {
        CCompiler none = new CCompiler("no-such-compiler", folder, folder.resolve("made"));
        Skipped skipped = assertThrows(Skipped.class, () -> none.compile("a.c"));
        assertTrue(skipped.toString().contains("no-such-compiler"), skipped.toString());
    }

    @Test
    void whatHasNotChangedIsNotCompiledAgain() throws Exception {
        Path first = gcc().compile("a.c");
        FileTime old = FileTime.fromMillis(0);
        Files.setLastModifiedTime(first, old);
        assertEquals(first, gcc().compile("a.c"));
        assertEquals(old, Files.getLastModifiedTime(first));
    }

    @Test
    void aChangedSourceOrHeaderIsAnotherProgram() throws Exception {
        Path first = gcc().compile("a.c");
        Files.writeString(folder.resolve("a.h"), "/* something */\n");
        Path second = gcc().compile("a.c");
        Files.writeString(folder.resolve("a.c"), "int main(void) { return 1; }\n");
        Path third = gcc().compile("a.c");
        assertNotEquals(first, second);
        assertNotEquals(second, third);
    }

    @Test
    void anErrorInTheSourceIsShown() throws IOException {
        CCompiler gcc = gcc();
        Files.writeString(folder.resolve("a.c"), "int main(void) { return nothing; }\n");
        RunFailure failure = assertThrows(RunFailure.class, () -> gcc.compile("a.c"));
        assertTrue(failure.toString().contains("nothing"), failure.toString());
    }

    private CCompiler gcc() {
        Programs.need("gcc");
        return new CCompiler("gcc", folder, folder.resolve("made"));
    }
}
