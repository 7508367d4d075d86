package dev.carillon.sys.call;

import static dev.carillon.sys.layout.Constants.O_RDONLY;

import dev.carillon.SyscallException;
import dev.carillon.sys.Errno;
import dev.carillon.sys.Fd;
import dev.carillon.sys.LibC;
import dev.carillon.sys.NativeBytes;
import java.nio.ByteBuffer;

/**
 * What /proc/PID/stat tells.
 *
 * <p><b>See:</b> proc_pid_stat(5).
 */
final class ProcessStat {
    static final long UNKNOWN = -1;

    /** The kernel writes some 400 bytes, and 1,200 at most. */
    private static final int ROOM = 4_096;

    /** Field 22; field 3 is the first one behind the name. */
    private static final int START_TIME_BEHIND_NAME = 22 - 3;

    private ProcessStat() {}

    /** When a process started, or {@link #UNKNOWN} if the file is not there, may not be read, or is strange. */
    static long startTime(LibC libc, int pid) {
        Fd stat;
        try {
            stat = new FileCalls(libc).open("/proc/" + pid + "/stat", O_RDONLY, 0);
        } catch (SyscallException failure) {
            if (Errno.isTransient(failure.errno())) {
                throw failure;
            }
            return UNKNOWN;
        }
        try (stat;
                NativeBytes memory = NativeBytes.allocate(libc, ROOM)) {
            return startTime(memory.bytes(), read(libc, stat, memory.address()));
        }
    }

    /** The file comes in one piece. None comes where the process has ended meanwhile (ESRCH). */
    private static int read(LibC libc, Fd stat, long address) {
        int number = stat.acquire();
        try {
            long count;
            do {
                count = libc.read(number, address, ROOM);
            } while (count == -Errno.EINTR);
            return (int) count;
        } finally {
            stat.release();
        }
    }

    /**
     * The start time in the text of the file.
     *
     * <p>The process chooses its name, which stands in brackets and can hold blanks, line ends and brackets. Behind it come
     * only numbers and one letter, so the last bracket of all is the end of the name.
     */
    // r[impl sys.start-time]
    static long startTime(ByteBuffer text, int length) {
        int at = length - 1;
        while (at >= 0 && text.get(at) != ')') {
            at--;
        }
        if (at < 0) {
            return UNKNOWN;
        }
        at++;
        for (int field = 0; field <= START_TIME_BEHIND_NAME; field++) {
            if (at >= length || text.get(at) != ' ') {
                return UNKNOWN;
            }
            at++;
            int begin = at;
            while (at < length && text.get(at) > ' ') {
                at++;
            }
            if (field == START_TIME_BEHIND_NAME) {
                return number(text, begin, at);
            }
        }
        return UNKNOWN;
    }

    private static long number(ByteBuffer text, int begin, int end) {
        long number = 0;
        for (int at = begin; at < end; at++) {
            int digit = text.get(at) - '0';
            if (digit < 0 || digit > 9 || number > (Long.MAX_VALUE - digit) / 10) {
                return UNKNOWN;
            }
            number = 10 * number + digit;
        }
        return begin == end ? UNKNOWN : number;
    }
}
