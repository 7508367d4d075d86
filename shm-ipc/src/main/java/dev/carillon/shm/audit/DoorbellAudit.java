package dev.carillon.shm.audit;

import dev.carillon.shm.audit.ProcessFiles.OpenFile;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counts who has the ends of a doorbell, in all processes into which this user may look. An end that two processes
 * have does not hang up when one of them dies.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl shm.audit]
public final class DoorbellAudit {
    private static final Pattern SOCKET = Pattern.compile("socket:\\[([0-9]+)]");

    /** Standard input, output and error may be anything, and have any number of owners. */
    private static final int FIRST_OWN = 3;

    private DoorbellAudit() {}

    /**
     * Looks for the two ends of a bell whose inodes are known, as of a link that is attached: each is one process's, which may have
     * several descriptors of it.
     *
     * @param inodes of both sockets
     */
    public static List<Finding> ofEnds(long... inodes) {
        return ofEnds(ProcessFiles.ofAll(), inodes);
    }

    private static List<Finding> ofEnds(List<OpenFile> all, long... inodes) {
        List<Finding> findings = new ArrayList<>();
        for (long inode : inodes) {
            List<Long> holders = all.stream()
                    .filter(open -> inodeOf(open) == inode)
                    .map(OpenFile::pid)
                    .distinct()
                    .toList();
            if (holders.size() != 1) {
                findings.add(new Finding(
                        Rule.DOORBELL,
                        "socket " + inode,
                        "one process has an end of the bell, and these have it: " + holders));
            }
        }
        return findings;
    }

    /**
     * As {@link #ofEnds(long...)}, of the bell between two processes, if it can be told from their other sockets: the kernel numbers
     * both ends of a pair one after the other. Says nothing if there are several such pairs, or none.
     */
    public static List<Finding> between(long hostPid, long guestPid) {
        return between(ProcessFiles.ofAll(), hostPid, guestPid);
    }

    /** As {@link #between(long, long)}, where the descriptors of all processes are known already. */
    public static List<Finding> between(List<OpenFile> all, long hostPid, long guestPid) {
        Set<Long> hosts = socketsOf(all, hostPid);
        Set<Long> guests = socketsOf(all, guestPid);
        Set<List<Long>> pairs = new HashSet<>();
        for (long end : hosts) {
            for (long other : new long[] {end - 1, end + 1}) {
                if (guests.contains(other)) {
                    pairs.add(List.of(Math.min(end, other), Math.max(end, other)));
                }
            }
        }
        if (pairs.size() != 1) {
            return List.of();
        }
        List<Long> pair = pairs.iterator().next();
        return ofEnds(all, pair.get(0), pair.get(1));
    }

    private static Set<Long> socketsOf(List<OpenFile> all, long pid) {
        Set<Long> sockets = new TreeSet<>();
        Set<Long> standard = new TreeSet<>();
        all.forEach(open -> {
            if (open.number() < FIRST_OWN) {
                standard.add(inodeOf(open));
            } else if (open.pid() == pid && inodeOf(open) > 0) {
                sockets.add(inodeOf(open));
            }
        });
        sockets.removeAll(standard);
        return sockets;
    }

    /** 0 if it is no socket. */
    private static long inodeOf(OpenFile open) {
        Matcher socket = SOCKET.matcher(open.target());
        return socket.matches() ? Long.parseLong(socket.group(1)) : 0;
    }
}
