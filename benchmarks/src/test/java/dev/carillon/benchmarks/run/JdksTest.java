package dev.carillon.benchmarks.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JdksTest {
    @TempDir
    Path folder;

    @Test
    void theNewestJdkWithForeignFunctionsIsTaken() throws IOException {
        install("jdk-17", "17.0.15");
        install("jdk-22", "22.0.2");
        install("jdk-25", "25.0.1");
        install("jdk-23", "23");
        assertEquals(folder.resolve("jdk-25"), Jdks.newest(folder).orElseThrow().path());
    }

    @Test
    void anOlderOneIsNone() throws IOException {
        install("jdk-21", "21.0.4");
        assertTrue(Jdks.newest(folder).isEmpty());
        assertTrue(Jdks.newest(folder.resolve("nowhere")).isEmpty());
    }

    @Test
    void aFolderWithoutJavaIsNoJdk() throws IOException {
        Path jdk = install("jdk-25", "25");
        Files.delete(jdk.resolve("bin/java"));
        assertTrue(Jdks.newest(folder).isEmpty());
    }

    private Path install(String name, String version) throws IOException {
        Path jdk = folder.resolve(name);
        Files.createDirectories(jdk.resolve("bin"));
        Path java = Files.createFile(jdk.resolve("bin/java"));
        assertTrue(java.toFile().setExecutable(true));
        Files.writeString(jdk.resolve("release"), "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"" + version + "\"\n");
        return jdk;
    }
}
