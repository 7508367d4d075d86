package dev.carillon.shm.inspect;

import dev.carillon.shm.audit.ProcessFiles;
import dev.carillon.shm.audit.ProcessFiles.OpenFile;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds the links of a host: by its directory or by its pid; or those of a guest, by its pid.
 *
 * <p>A host whose links are memfds is found by the lock that it holds on its directory, which the kernel lists for everybody.
 */
final class LinkFinder {
    private static final Path LOCKS = Path.of("/proc/locks");
    private static final String MEMFD = "/memfd:carillon-link-";
    private static final Pattern LINK_FILE = Pattern.compile("link-[1-9][0-9]{0,2}");
    private static final Pattern PID = Pattern.compile("[1-9][0-9]{0,9}");

    private LinkFinder() {}

    /** A number is a pid, anything else a directory. */
    static FoundLinks find(String word) throws NotShownException {
        return PID.matcher(word).matches() ? ofProcess(Long.parseLong(word)) : ofDirectory(Path.of(word));
    }

    private static FoundLinks ofProcess(long pid) throws NotShownException {
        List<LinkFile> links = linksOf(pid);
        if (links.isEmpty()) {
            ensureThere(pid);
            throw NotShownException.nothing(
                    "process " + pid + " has no link open: it is no host with guests, and no guest");
        }
        return new FoundLinks("process " + pid, links, false);
    }

    private static List<LinkFile> linksOf(long pid) throws NotShownException {
        List<LinkFile> links = new ArrayList<>();
        Set<Object> seen = new HashSet<>();
        try {
            for (OpenFile open : ProcessFiles.of(pid)) {
                boolean isMemfd = open.target().startsWith(MEMFD);
                // A process may have several descriptors of a link.
                if ((isMemfd || isLinkFile(Path.of(open.target()))) && seen.add(identity(open.path()))) {
                    links.add(new LinkFile(open.path(), isMemfd));
                }
            }
        } catch (NoSuchFileException e) {
            throw NotShownException.nothing("there is no process " + pid);
        } catch (AccessDeniedException e) {
            ensureThere(pid);
            throw NotShownException.notPermitted(
                    "process " + pid + " is another user's, or protected: look as its user (sudo -u) or as root");
        } catch (IOException e) {
            // Its end can show in many ways.
            throw NotShownException.nothing("the descriptors of process " + pid + " cannot be read: " + e.getMessage());
        }
        return links;
    }

    /** One that nobody has waited for is there, has nothing open, and is shown to root alone, be it whose it may. */
    private static void ensureThere(long pid) throws NotShownException {
        if (ProcessState.of(pid) == ProcessState.ENDED) {
            throw NotShownException.nothing("process " + pid + " has ended");
        }
    }

    private static Object identity(Path link) {
        try {
            return Files.getAttribute(link, "unix:ino") + " " + Files.getAttribute(link, "unix:dev");
        } catch (IOException closedMeanwhile) {
            return link;
        }
    }

    private static boolean isLinkFile(Path file) {
        return file.isAbsolute()
                && LINK_FILE.matcher(String.valueOf(file.getFileName())).matches();
    }

    private static FoundLinks ofDirectory(Path directory) throws NotShownException {
        List<LinkFile> files = new ArrayList<>();
        try (DirectoryStream<Path> content = Files.newDirectoryStream(directory)) {
            for (Path file : content) {
                if (isLinkFile(file.toAbsolutePath()) && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                    files.add(new LinkFile(file, false));
                }
            }
        } catch (NoSuchFileException e) {
            throw NotShownException.nothing(directory + " is not there: give the directory of a host, or a pid");
        } catch (NotDirectoryException e) {
            throw NotShownException.nothing(directory + " is no directory: give the directory of a host, or a pid");
        } catch (AccessDeniedException e) {
            throw NotShownException.notPermitted(
                    directory + " is another user's: look as that user (sudo -u) or as root");
        } catch (IOException e) {
            throw NotShownException.nothing(directory + " cannot be read: " + e.getMessage());
        }
        files.sort((a, b) -> Integer.compare(number(a), number(b)));
        OptionalLong host = hostOf(directory);
        if (host.isEmpty()) {
            if (files.isEmpty()) {
                throw NotShownException.nothing("no host lives in " + directory);
            }
            return new FoundLinks("what a host has left in " + directory + ", which lives no more", files, true);
        }
        String of = "host " + host.getAsLong() + " in " + directory;
        return new FoundLinks(of, files.isEmpty() ? linksOf(host.getAsLong()) : files, false);
    }

    private static int number(LinkFile link) {
        return Integer.parseInt(String.valueOf(link.path().getFileName()).substring("link-".length()));
    }

    /** Who has locked the directory: lines such as {@code 1: FLOCK  ADVISORY  WRITE 4711 00:1a:5312 0 EOF}. */
    private static OptionalLong hostOf(Path directory) throws NotShownException {
        try (Stream<String> locks = Files.lines(LOCKS)) {
            long inode = ((Number) Files.getAttribute(directory, "unix:ino")).longValue();
            long device = ((Number) Files.getAttribute(directory, "unix:dev")).longValue();
            String place = String.format("%02x:%02x:%d", major(device), minor(device), inode);
            return locks.map(line -> line.trim().split("\\s+", -1))
                    .filter(lock -> lock.length > 5 && lock[1].equals("FLOCK") && lock[5].equals(place))
                    .mapToLong(lock -> Long.parseLong(lock[4]))
                    .findFirst();
        } catch (IOException e) {
            throw NotShownException.nothing("who lives in " + directory + " cannot be told: " + e.getMessage());
        }
    }

    private static long major(long device) {
        return ((device >>> 8) & 0xfff) | ((device >>> 32) & ~0xfffL);
    }

    private static long minor(long device) {
        return (device & 0xff) | ((device >>> 12) & ~0xffL);
    }
}
