package dev.carillon.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.Jdk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where JNA unpacks its library. */
final class JnaFolderTest {
    @TempDir
    private Path home;

    private final Map<String, String> properties = new HashMap<>(Map.of("java.io.tmpdir", "/tmp"));
    private final Map<String, String> environment = new HashMap<>();

    private String where() {
        properties.putIfAbsent("user.home", home.toString());
        return JnaFolder.where(properties::get, environment::get);
    }

    @Test
    void byDefaultItIsInTheCacheOfTheUser() {
        assertEquals(home.resolve(".cache/JNA/temp").toString(), where());
        environment.put("XDG_CACHE_HOME", home.resolve("xdg").toString());
        assertEquals(home.resolve("xdg/JNA/temp").toString(), where());
    }

    @Test
    void withoutAHomeToWriteToItIsTheTemporaryFolder() throws Exception {
        properties.put("user.home", Files.createFile(home.resolve("file")).toString());
        assertEquals("/tmp", where());
    }

    @Test
    void aFolderThatIsNamedCounts() {
        properties.put("jna.tmpdir", "/named");
        assertEquals("/named", where());
    }

    @Test
    void whatJnaHasLoadedCountsMost() {
        properties.put("jna.tmpdir", "/named");
        properties.put("jnidispatch.path", "/loaded/jna1.tmp");
        assertEquals("/loaded", where());
    }

    /** Before it has loaded anything, we say the same as afterwards. */
    @Test
    void jnaDoesAsItIsSaidHere() {
        Assumptions.assumeFalse(Jdk.current().hasForeignMemory(), "JNA is not used");
        LibC.get();
        String loaded = System.getProperty("jnidispatch.path");
        assertTrue(loaded != null, "JNA unpacks its library");
        Map<String, String> before = new HashMap<>();
        System.getProperties().forEach((key, value) -> before.put(key.toString(), value.toString()));
        before.remove("jnidispatch.path");
        assertEquals(String.valueOf(Path.of(loaded).getParent()), JnaFolder.where(before::get, System::getenv));
    }
}
