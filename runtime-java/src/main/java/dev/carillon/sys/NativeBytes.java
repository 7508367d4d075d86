package dev.carillon.sys;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Native memory with its address, for as long as it is open.
 *
 * <p>An address alone keeps nothing alive: the collector may free a buffer whose last use, as the compiler sees it, was
 * to ask for its address. Closing is what keeps the memory until then; it is freed by the collector.
 *
 * <p><b>Ownership:</b> whoever allocated it closes it, after the last call that has the address.
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
        byte[] utf8 = encoded(what, text);
        NativeBytes string = new NativeBytes(libc, utf8.length + 1);
        string.bytes.put(0, utf8);
        return string;
    }

    /** A null-terminated array of pointers to strings, with the strings behind it: argv and envp. */
    public static NativeBytes texts(LibC libc, String what, List<String> texts) {
        int size = (texts.size() + 1) * Long.BYTES;
        for (String text : texts) {
            size = Math.addExact(size, encoded(what, text).length + 1);
        }
        NativeBytes array = new NativeBytes(libc, size);
        int at = (texts.size() + 1) * Long.BYTES;
        for (int i = 0; i < texts.size(); i++) {
            byte[] utf8 = encoded(what, texts.get(i));
            array.bytes.putLong(i * Long.BYTES, array.address + at);
            array.bytes.put(at, utf8);
            at += utf8.length + 1;
        }
        return array;
    }

    // r[impl sys.text]
    private static byte[] encoded(String what, String text) {
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(what + "=" + text.replace("\0", "\\0") + ": has a NUL in it");
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
