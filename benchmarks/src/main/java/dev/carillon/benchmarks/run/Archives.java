package dev.carillon.benchmarks.run;

import dev.carillon.benchmarks.model.Variant.Archive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The flags with which a VM writes an archive, reads it, and refuses to start without it. */
final class Archives {
    /** Else JDK 25 prints that an archive does not fit the flag --enable-native-access in all its parts. */
    private static final String QUIET = "-Xlog:disable";

    private Archives() {}

    static List<String> write(Archive kind, Path file) {
        return switch (kind) {
            case NONE -> List.of();
            case CLASS_DATA -> List.of(QUIET, "-XX:ArchiveClassesAtExit=" + file);
            case AOT_CACHE -> List.of(QUIET, "-XX:AOTCacheOutput=" + file);
        };
    }

    static List<String> read(Archive kind, Path file) {
        return switch (kind) {
            case NONE -> List.of();
            case CLASS_DATA -> List.of(QUIET, "-XX:SharedArchiveFile=" + file);
            case AOT_CACHE -> List.of(QUIET, "-XX:AOTCache=" + file);
        };
    }

    /** A VM that can't use its archive starts as usual, and the figure would be a lie: with these flags it fails. */
    static List<String> readOrFail(Archive kind, Path file) {
        List<String> strict = switch (kind) {
            case NONE -> List.of();
            case CLASS_DATA -> List.of("-Xshare:on");
            case AOT_CACHE -> List.of("-XX:AOTMode=on");
        };
        return Stream.concat(read(kind, file).stream(), strict.stream()).toList();
    }

    /** Returns the place for a variant's archive, with nothing there. */
    static Path emptyPlace(Path folder, String variant) throws RunFailure {
        Path archive = folder.resolve(variant + ".archive").toAbsolutePath();
        try {
            Files.createDirectories(folder);
            Files.deleteIfExists(archive);
        } catch (IOException e) {
            throw new RunFailure("the old archive " + archive + " could not be removed", e);
        }
        return archive;
    }
}
