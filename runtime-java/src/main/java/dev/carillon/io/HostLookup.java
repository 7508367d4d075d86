package dev.carillon.io;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Looks names up by the resolver of the JDK, which blocks, on threads of its own: daemons named carillon-resolver, which end when
 * they have had nothing to do for a second.
 *
 * <p><b>Threading:</b> any thread.
 */
// r[impl io.lookup]
final class HostLookup {
    /** Of DNS. */
    private static final int LONGEST_NAME = 253;

    /** So many look-ups may hang, each for as long as the servers for names let it, before others wait for them. */
    private static final int MOST_THREADS = 16;

    /** So many wait for those; one that nobody wants any more waits on, but holds nothing. */
    private static final int MOST_WAITING = 65_536;

    private static final Pattern FOUR =
            Pattern.compile("((25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\\.){3}(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])");

    private static final long IDLE_SECONDS = 1;
    private static final AtomicInteger STARTED = new AtomicInteger();
    private static final ThreadPoolExecutor THREADS = new ThreadPoolExecutor(
            MOST_THREADS,
            MOST_THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MOST_WAITING),
            HostLookup::thread);

    static {
        THREADS.allowCoreThreadTimeOut(true);
    }

    private HostLookup() {}

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(null, work, "carillon-resolver-" + STARTED.incrementAndGet(), 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
        return thread;
    }

    /**
     * Has one of the threads do something that blocks.
     *
     * @return for {@link #forget}
     * @throws RejectedExecutionException if too many wait
     */
    static Runnable run(Runnable lookup) {
        Waiting waiting = new Waiting(lookup);
        try {
            THREADS.execute(waiting);
            return waiting;
        } catch (RejectedExecutionException full) {
            throw new RejectedExecutionException(
                    MOST_WAITING
                            + " look-ups of names wait for others that hang; look at /etc/resolv.conf, and connect later",
                    full);
        }
    }

    /** Nobody wants it any more. */
    static void forget(Runnable waiting) {
        ((Waiting) waiting).lookup = null;
    }

    private static final class Waiting implements Runnable {
        private volatile @Nullable Runnable lookup;

        Waiting(Runnable lookup) {
            this.lookup = lookup;
        }

        @Override
        public void run() {
            Runnable wanted = lookup;
            if (wanted != null) {
                wanted.run();
            }
        }
    }

    /** Whether it is an address as text, and no name that has to be looked up: no name has a colon. */
    static boolean isAddress(String host) {
        return host.indexOf(':') >= 0 || FOUR.matcher(host).matches();
    }

    /** The address that a text means. */
    static List<InetSocketAddress> literal(String host, int port) {
        try {
            return List.of(new InetSocketAddress(InetAddress.getByName(host), port));
        } catch (UnknownHostException malformed) {
            throw new IllegalArgumentException(
                    "host=" + host + ": no address of IPv6 or IPv4, and no name either, since no name has a colon",
                    malformed);
        }
    }

    /** The addresses of a host, in the order in which to try them; blocks. */
    static List<InetSocketAddress> of(String host, int port) throws UnknownHostException {
        try {
            return ordered(List.of(InetAddress.getAllByName(host)), isFourFirst()).stream()
                    .map(address -> new InetSocketAddress(address, port))
                    .toList();
        } catch (UnknownHostException unknown) {
            UnknownHostException named = new UnknownHostException(
                    "host=" + shown(host)
                            + ": no address is known for that name; look whether it is spelt right, and ask the resolver (getent ahosts)");
            named.initCause(unknown);
            throw named;
        }
    }

    private static String shown(String host) {
        return host.length() <= LONGEST_NAME ? host : host.substring(0, LONGEST_NAME) + "...";
    }

    /** RFC 8305 prefers IPv6. The JDK sorts IPv4 to the front unless it was told otherwise, so its order says nothing about that. */
    private static boolean isFourFirst() {
        return "false".equals(System.getProperty("java.net.preferIPv6Addresses"));
    }

    /** One of each family in turn, so that a family that does not work costs one delay and not one for each address. */
    static List<InetAddress> ordered(List<InetAddress> found, boolean isFourFirst) {
        Deque<InetAddress> six = new ArrayDeque<>();
        Deque<InetAddress> four = new ArrayDeque<>();
        for (InetAddress address : found) {
            (address instanceof Inet6Address ? six : four).add(address);
        }
        List<InetAddress> ordered = new ArrayList<>();
        for (boolean nextIsFour = isFourFirst; !six.isEmpty() || !four.isEmpty(); nextIsFour = !nextIsFour) {
            InetAddress next = (nextIsFour ? four : six).poll();
            if (next != null) {
                ordered.add(next);
            }
        }
        return ordered;
    }
}
