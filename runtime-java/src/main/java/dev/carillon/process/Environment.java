package dev.carillon.process;

import dev.carillon.sys.NativeBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The environment of a child: names and values are bytes.
 *
 * <p>Values may be secrets: none is ever part of an exception or a log line.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
// r[impl process.environment]
final class Environment {
    private static final String ENVIRON = "/proc/self/environ";

    /** Names to whole entries, as in NAME=value. */
    private final Map<ByteBuffer, byte[]> entries;

    private Environment(Map<ByteBuffer, byte[]> entries) {
        this.entries = entries;
    }

    /** Those of this process. */
    static Environment inherited() {
        return new Environment(new TreeMap<>(Inherited.entries()));
    }

    void put(String name, String value) {
        int equals = name.indexOf('=');
        if (name.isEmpty() || equals >= 0) {
            // What is behind the = would be a value.
            throw new IllegalArgumentException("name=" + name.substring(0, Math.max(0, equals))
                    + (equals < 0 ? "" : "=...") + ": the name of a variable is not empty and has no = in it");
        }
        byte[] key = NativeBytes.encoded("the name of a variable", name);
        NativeBytes.encoded("the value of variable " + name, value);
        entries.put(ByteBuffer.wrap(key), (name + "=" + value).getBytes(StandardCharsets.UTF_8));
    }

    void remove(String name) {
        entries.remove(ByteBuffer.wrap(name.getBytes(StandardCharsets.UTF_8)));
    }

    void clear() {
        entries.clear();
    }

    /** As in NAME=value, each without a zero. */
    List<byte[]> entries() {
        return List.copyOf(entries.values());
    }

    /** What this process was started with, read once. */
    private static final class Inherited {
        /** Not read while the class is initialized: a file that cannot be opened now can be opened later. */
        private static volatile @Nullable Map<ByteBuffer, byte[]> known;

        static Map<ByteBuffer, byte[]> entries() {
            Map<ByteBuffer, byte[]> entries = known;
            if (entries == null) {
                entries = new TreeMap<>();
                if (read(entries)) {
                    known = entries;
                }
            }
            return entries;
        }

        /**
         * Java tells which variables there are, also those that a native launcher has set before it made the VM; but where
         * one is not ASCII, its text may be wrong (under LC_ALL=C every byte above 127 is U+FFFD). Its bytes are taken
         * from what the kernel keeps then.
         *
         * @return false if that could not be read, so that it is read again
         */
        private static boolean read(Map<ByteBuffer, byte[]> entries) {
            Map<String, String> ofJava = System.getenv();
            Set<String> unsure = ofJava.entrySet().stream()
                    .map(entry -> entry.getKey() + "=" + entry.getValue())
                    .filter(entry -> !isAscii(entry))
                    .collect(Collectors.toSet());
            ofJava.forEach((name, value) -> {
                String entry = name + "=" + value;
                if (!unsure.contains(entry)) {
                    add(entries, entry.getBytes(StandardCharsets.UTF_8));
                }
            });
            return unsure.isEmpty() || addUnsure(entries, unsure);
        }

        private static boolean addUnsure(Map<ByteBuffer, byte[]> entries, Set<String> unsure) {
            Set<String> sure = new java.util.HashSet<>();
            List<Charset> charsets = charsets();
            List<byte[]> ofKernel = ofKernel();
            for (byte[] entry : ofKernel) {
                for (Charset charset : charsets) {
                    String text = new String(entry, charset);
                    if (unsure.contains(text)) {
                        sure.add(text);
                        add(entries, entry);
                        break;
                    }
                }
            }
            unsure.stream()
                    .filter(entry -> !sure.contains(entry))
                    .forEach(entry -> add(entries, entry.getBytes(StandardCharsets.UTF_8)));
            return !ofKernel.isEmpty();
        }

        /** Which one Java reads its environment with differs between its versions. */
        private static List<Charset> charsets() {
            return Stream.of(Charset.defaultCharset().name(), System.getProperty("sun.jnu.encoding", "UTF-8"))
                    .filter(Charset::isSupported)
                    .map(Charset::forName)
                    .toList();
        }

        /** Of two variables with one name the first counts, as for getenv(3). */
        private static void add(Map<ByteBuffer, byte[]> entries, byte[] entry) {
            int equals = 1;
            while (equals < entry.length && entry[equals] != '=') {
                equals++;
            }
            entries.putIfAbsent(ByteBuffer.wrap(Arrays.copyOf(entry, equals)), entry);
        }

        private static List<byte[]> ofKernel() {
            List<byte[]> all = new ArrayList<>();
            byte[] block = blockOfKernel();
            int from = 0;
            for (int at = 0; at < block.length; at++) {
                if (block[at] == 0) {
                    all.add(Arrays.copyOfRange(block, from, at));
                    from = at + 1;
                }
            }
            return all;
        }

        private static byte[] blockOfKernel() {
            try {
                return Files.readAllBytes(Path.of(ENVIRON));
            } catch (IOException noProc) {
                return new byte[0]; // then the text of Java is all there is
            }
        }

        private static boolean isAscii(String text) {
            return text.chars().allMatch(c -> c < 0x80);
        }
    }
}
