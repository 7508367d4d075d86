package dev.carillon.guards.builds;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * A jar that is not ours.
 *
 * @param coordinate {@code group:artifact:version}, and {@code :classifier} where it has one
 */
record Jar(String coordinate, String fileName, String sha256) {
    /** A jar in a local Maven repository, named by its place there; empty where it is elsewhere. */
    static Optional<Jar> in(Path repository, Path file) {
        if (!file.startsWith(repository) || repository.relativize(file).getNameCount() < 4) {
            return Optional.empty();
        }
        var place = repository.relativize(file);
        int names = place.getNameCount();
        var version = place.getName(names - 2).toString();
        var artifact = place.getName(names - 3).toString();
        var group = place.subpath(0, names - 3).toString().replace('/', '.');
        var name = place.getName(names - 1).toString();
        var plain = artifact + "-" + version;
        if (!name.startsWith(plain) || !name.endsWith(".jar")) {
            return Optional.empty();
        }
        var classifier = name.substring(plain.length(), name.length() - ".jar".length());
        var coordinate = group + ":" + artifact + ":" + version + classifier.replaceFirst("^-", ":");
        return Optional.of(new Jar(coordinate, name, sha256(file)));
    }

    String group() {
        return coordinate.split(":", -1)[0];
    }

    String artifact() {
        return coordinate.split(":", -1)[1];
    }

    String version() {
        return coordinate.split(":", -1)[2];
    }

    String line() {
        return sha256 + "  " + coordinate;
    }

    private static String sha256(Path file) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the jar " + file + ": run the build once without -o", e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no SHA-256, which every Java must have", e);
        }
    }
}
