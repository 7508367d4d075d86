package dev.carillon.test.proc;

import java.util.List;

/**
 * One line of {@code /proc/self/maps}.
 *
 * <p><b>See</b> proc_pid_maps(5).
 *
 * @param start first address
 * @param end address after the last one
 * @param permissions {@code rwxs} or {@code rwxp}, with dashes
 * @param file device and inode: two files of the same name are told apart by it
 * @param path what is mapped, empty for plain anonymous memory
 */
public record Mapping(long start, long end, String permissions, String file, String path) {
    private static final int COLUMNS = 6;

    /** Every mapping of this process. */
    public static List<Mapping> all() {
        return ProcFile.lines("/proc/self/maps").stream().map(Mapping::parse).toList();
    }

    /** Parses {@code 7f00-7f10 rw-s 00000000 00:01 1234   /memfd:name (deleted)}. */
    public static Mapping parse(String line) {
        String[] columns = line.split(" +", COLUMNS);
        String[] range = columns[0].split("-", -1);
        return new Mapping(
                Long.parseUnsignedLong(range[0], 16),
                Long.parseUnsignedLong(range[1], 16),
                columns[1],
                columns[3] + " " + columns[4],
                columns.length == COLUMNS ? columns[5] : "");
    }

    /** How many bytes it covers. */
    public long bytes() {
        return end - start;
    }

    /** Whether other processes may see what is written here. */
    public boolean shared() {
        return permissions.endsWith("s");
    }

    /** Whether code may run from it. */
    public boolean executable() {
        return permissions.contains("x");
    }

    /** Whether this process may write to it. */
    public boolean writable() {
        return permissions.contains("w");
    }
}
