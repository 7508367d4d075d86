package dev.carillon.sys;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * Native memory with its address, for as long as it is open.
 *
 * <p>An address alone keeps nothing alive: the collector may free a buffer whose last use, as the compiler sees it, was
 * to ask for its address. Closing is what keeps the memory until then; it is freed by the collector.
 *
 * <p><b>Ownership:</b> the code that allocated it closes it, after the last call that has the address.
 */
public final class NativeBytes implements AutoCloseable {
    private final ByteBuffer bytes;
    private final long address;

    private NativeBytes(LibC libc, int size) {
        bytes = ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
        address = libc.addressOf(bytes);
    }

    /** Zeroed memory. */
    public static NativeBytes allocate(LibC libc, int size) {
        return new NativeBytes(libc, size);
    }

    /**
     * A string as C has it, in UTF-8 with a zero byte at its end.
     *
     * @param what what it is, for the error
     * @throws IllegalArgumentException if the text has a zero in it, where C would end it
     */
    public static NativeBytes text(LibC libc, String what, String text) {
        return string(libc, encoded(what, text));
    }

    /** The name of a file as C has it: the bytes of the path, whatever text Java makes of them. */
    public static NativeBytes path(LibC libc, Path path) {
        return string(libc, FileNames.bytesOf(path));
    }

    /** A string as C has it, of bytes without a zero in them. */
    public static NativeBytes string(LibC libc, byte[] bytes) {
        NativeBytes string = new NativeBytes(libc, bytes.length + 1);
        string.bytes.put(0, bytes);
        return string;
    }

    /**
     * A null-terminated array of pointers to strings, with the strings behind it: argv and envp.
     *
     * @param strings each without a zero in it, see {@link #encoded}
     */
    public static NativeBytes strings(LibC libc, List<byte[]> strings) {
        int size = (strings.size() + 1) * Long.BYTES;
        for (byte[] string : strings) {
            size = Math.addExact(size, string.length + 1);
        }
        NativeBytes array = new NativeBytes(libc, size);
        int at = (strings.size() + 1) * Long.BYTES;
        for (int i = 0; i < strings.size(); i++) {
            byte[] string = strings.get(i);
            array.bytes.putLong(i * Long.BYTES, array.address + at);
            array.bytes.put(at, string);
            at += string.length + 1;
        }
        return array;
    }

    /**
     * Text as C gets it, in UTF-8, which names what is wrong and never shows it, since it may be a secret.
     *
     * @param what what it is, for the error
     * @throws IllegalArgumentException if the text has a zero in it, where C would end it
     */
    // r[impl sys.text]
    public static byte[] encoded(String what, String text) {
        int nul = text.indexOf('\0');
        if (nul >= 0) {
            throw new IllegalArgumentException(what + " has a NUL in it, at index " + nul + ", where C would end it");
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public ByteBuffer bytes() {
        return bytes;
    }

    public long address() {
        return address;
    }

    @Override
    @SuppressWarnings("ReachabilityFenceUsage") // a try with resources calls this in its finally
    public void close() {
        Reference.reachabilityFence(bytes);
    }
}
