package dev.carillon.lifecycle;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A sentence for people, on its way to the service manager. <b>Threading:</b> any thread. */
final class StatusText {
    /** systemd drops a message that is longer, without a word. */
    static final int MOST_BYTES = 4096;

    private static final String MARK = "\u2026";
    private static final int MARK_BYTES = MARK.getBytes(StandardCharsets.UTF_8).length;

    private StatusText() {}

    /** The message with this text at its end, on one line: a line break would begin another assignment. A mark is where it was cut. */
    static String message(String assignments, String text) {
        String line = text.replace('\n', ' ').replace('\r', ' ').replace('\0', ' ');
        return assignments + cut(line, MOST_BYTES - assignments.getBytes(StandardCharsets.UTF_8).length);
    }

    private static String cut(String line, int mostBytes) {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= mostBytes) {
            return line;
        }
        int end = mostBytes - MARK_BYTES;
        while (isInsideLetter(bytes[end])) {
            end--;
        }
        return new String(Arrays.copyOf(bytes, end), StandardCharsets.UTF_8) + MARK;
    }

    private static boolean isInsideLetter(byte one) {
        return (one & 0xC0) == 0x80;
    }
}
