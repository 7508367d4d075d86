package dev.carillon.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JdkTest {
    private final String givenOutside = System.getProperty(Jdk.SECOND_PROPERTY, "");

    @TempDir
    Path installed = Path.of("");

    @AfterEach
    void restore() {
        System.setProperty(Jdk.SECOND_PROPERTY, givenOutside);
    }

    @Test
    void theNewestInstalledOneIsTaken() throws IOException {
        install("a-9", "9.0.4");
        Path newest = install("b-25", "25.0.3");
        install("c-21", "21");
        Files.createDirectory(installed.resolve("z-not-a-jdk"));
        assertEquals(Optional.of(new Jdk(newest, 25)), Jdk.newestIn(installed));
        assertEquals(Optional.empty(), Jdk.newestIn(installed.resolve("missing")));
    }

    @Test
    void thePropertyNamesTheSecondOne() throws IOException {
        Path named = install("named", "23.0.1");
        System.setProperty(Jdk.SECOND_PROPERTY, named.toString());
        assertEquals(Optional.of(new Jdk(named, 23)), Jdk.second());
    }

    @Test
    void aPropertyThatNamesNoJdkIsRefused() {
        System.setProperty(Jdk.SECOND_PROPERTY, installed.toString());
        IllegalArgumentException failure = assertThrows(IllegalArgumentException.class, Jdk::second);
        assertTrue(failure.toString().contains("carillon.jdk2=" + installed), failure.toString());
    }

    @Test
    void theCurrentOneIsTheOneThatRunsThis() {
        assertEquals(Runtime.version().feature(), Jdk.current().feature());
        assertTrue(Files.isExecutable(Jdk.current().java()));
    }

    private Path install(String name, String version) throws IOException {
        Path bin = Files.createDirectories(installed.resolve(name).resolve("bin"));
        assertTrue(Files.createFile(bin.resolve("java")).toFile().setExecutable(true));
        Files.writeString(
                installed.resolve(name).resolve("release"), "OS_ARCH=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
        return installed.resolve(name);
    }
}
