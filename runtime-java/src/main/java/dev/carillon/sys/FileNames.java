package dev.carillon.sys;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Path;

/**
 * Names of files as the kernel has them, which are bytes, and as Java has them.
 *
 * <p>A Path of Java keeps the bytes that it was read with, but its text does not: under LC_ALL=C each byte above 127
 * becomes U+FFFD. So a name never goes through text here. The one way to the bytes of a Path that Java offers is its
 * URI, where they stand as hexadecimal numbers, and the same way leads back.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl sys.names]
public final class FileNames {
    private static final String FILE = "file://";
    private static final Path ROOT = Path.of("/");
    private static final int HEX = 16;

    private FileNames() {}

    /**
     * The bytes of a path, without a zero at the end.
     *
     * @throws IllegalArgumentException if it is not one of the machine's own files, as a path in an archive
     */
    public static byte[] bytesOf(Path path) {
        if (path.getFileSystem() != FileSystems.getDefault()) {
            throw new IllegalArgumentException("path=" + path + ": is in " + path.getFileSystem()
                    + "; only files that the kernel knows by this name can be used");
        }
        String text = path.toString();
        return isAscii(text) ? text.getBytes(StandardCharsets.ISO_8859_1) : throughUri(path);
    }

    private static boolean isAscii(String text) {
        return text.chars().allMatch(c -> c < 0x80);
    }

    private static byte[] throughUri(Path path) {
        // Below the root, since a URI is absolute, and the working directory may have a name that Java got wrong.
        String raw = ROOT.resolve(path).toUri().getRawPath();
        // A folder's URI ends in a slash, a path does not.
        int end = raw.length() > 1 && raw.endsWith("/") ? raw.length() - 1 : raw.length();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(end);
        for (int at = path.isAbsolute() ? 0 : 1; at < end; at++) {
            char c = raw.charAt(at);
            if (c == '%') {
                bytes.write(Integer.parseInt(raw, at + 1, at + 3, HEX));
                at += 2;
            } else {
                bytes.write(c);
            }
        }
        return bytes.toByteArray();
    }

    /**
     * The path of a name, absolute if it begins with a slash.
     *
     * @param name without a zero at the end
     * @throws IllegalArgumentException if there is a zero in it
     */
    public static Path pathOf(byte[] name) {
        String text = new String(name, StandardCharsets.ISO_8859_1);
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("name=" + text.replace("\0", "\\0") + ": has a NUL in it");
        }
        if (isAscii(text)) {
            return Path.of(text);
        }
        boolean absolute = text.charAt(0) == '/';
        StringBuilder uri = new StringBuilder(FILE).append(absolute ? "" : "/");
        for (byte b : name) {
            if (b == '/') {
                uri.append('/');
            } else {
                uri.append('%').append(Character.forDigit(b >> 4 & 0xf, HEX)).append(Character.forDigit(b & 0xf, HEX));
            }
        }
        Path path = Path.of(URI.create(uri.toString()));
        return absolute ? path : path.subpath(0, path.getNameCount());
    }
}
