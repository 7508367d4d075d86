package dev.carillon.test;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.loop.BackendKind;
import dev.carillon.loop.EventLoop;
import dev.carillon.signal.CaptureKind;
import dev.carillon.signal.SignalService;
import dev.carillon.test.proc.Mapping;
import dev.carillon.test.proc.VmFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * What comes and goes by itself: the one place that says what {@link ProcessSnapshot} does not count.
 *
 * <p>The VM, the test runner and a few pools that belong to the whole process open things when they are first needed
 * and keep them until the process ends. Each rule names such a thing; whatever no rule names is counted.
 */
final class VmNoise {
    private static final List<String> THREADS = List.of(
            // The VM's own: attach, signals, references, compilers, children, recorder, management.
            "Attach Listener",
            "Signal Dispatcher",
            "Common-Cleaner",
            "Finalizer",
            "Reference Handler",
            "Notification Thread",
            "Service Thread",
            "Monitor Deflation Thread",
            "DestroyJavaVM",
            "C1 CompilerThread",
            "C2 CompilerThread",
            "JVMCI",
            "process reaper",
            "JFR ",
            "RMI ",
            "JMX ",
            // Pools of the JDK, of JNA and of kotlinx.coroutines that cannot be closed.
            "ForkJoinPool.commonPool",
            "CompletableFutureDelayScheduler",
            "VirtualThread-",
            "Read-Poller",
            "Write-Poller",
            "Master-Poller",
            "JNA Cleaner",
            "DefaultDispatcher-worker",
            "kotlinx.coroutines.DefaultExecutor",
            // Ours: it goes when no closed region is reachable any more, and the test runner keeps some instances of
            // tests. A
            // region that was left open is seen by its mapping.
            "carillon-memory-cleaner",
            // The test runner.
            "junit-",
            "surefire-",
            "last-ditch-daemon-shutdown-thread");

    /** Workers that carry virtual threads; their names are like those of any other pool. */
    private static final String CARRIER_CLASS = "jdk.internal.misc.CarrierThread";

    /** A pool's clock from JDK 25 on, that of the carriers too; it ends with its pool, whose workers are counted. */
    private static final String POOL_CLOCK_CLASS = "java.util.concurrent.DelayScheduler";

    /**
     * Real-time signals that the C library (32: cancel, 33: change of user in all threads) and the JDK's sockets (62:
     * wake a thread out of a system call) put a handler on when first needed.
     */
    private static final List<Integer> SIGNALS = List.of(32, 33, 62);

    /** They do nothing to a process by default; one for each loop that a test may have with signals at once. */
    private static final List<Signal> HARMLESS =
            List.of(Signal.SIGURG, Signal.SIGWINCH, Signal.SIGCONT, Signal.SIGCHLD);

    private VmNoise() {}

    /**
     * Makes the JDK open what it opens with the first channel and the first socket and keeps for good: nameless socket
     * pairs, which no rule could tell from a leak. And it makes our forwarder of signals take what it keeps as long as
     * the process lives, where it can be used: an eventfd, a real-time signal, and pipes. The shared loop, which no code can
     * close, has a thread and descriptors.
     */
    static void provoke() {
        if (BackendKind.EPOLL.availability().isAvailable()) {
            EventLoop.shared();
        }
        if (CaptureKind.FORWARDER.availability().isAvailable()) {
            provokePipes();
        }
        try (SocketChannel channel = SocketChannel.open();
                Selector selector = Selector.open()) {
            channel.configureBlocking(false);
            selector.selectNow();
        } catch (IOException failure) {
            throw new UncheckedIOException("Cannot open a socket and a selector in the test process", failure);
        }
    }

    /**
     * The forwarder has a pipe for each loop with signals, and lends it to the next loop. So a test that has more such
     * loops at once than are opened here is seen to leave pipes behind, and one that loses a pipe is, too.
     */
    private static void provokePipes() {
        List<EventLoop> loops = new ArrayList<>();
        try {
            for (Signal signal : HARMLESS) {
                EventLoop loop = EventLoop.open();
                loops.add(loop);
                SignalService.attach(loop, SignalSet.of(signal));
                loop.runUntilEmpty();
            }
        } finally {
            loops.forEach(EventLoop::close);
        }
    }

    static boolean descriptor(String target) {
        return VmFiles.contains(target);
    }

    /** Maps of private files are the VM's archives and the C library's tables; what has code in it is a library. */
    static boolean mapping(Mapping mapping) {
        boolean made = mapping.shared()
                || mapping.path().startsWith("/memfd:")
                || mapping.path().startsWith("anon_inode:")
                || mapping.path().endsWith(" (deleted)");
        boolean table = mapping.path().startsWith("/usr/lib/") && !mapping.writable();
        return !made || table || VmFiles.contains(mapping.path());
    }

    static boolean thread(Thread thread) {
        return THREADS.stream().anyMatch(thread.getName()::startsWith)
                || CARRIER_CLASS.equals(thread.getClass().getName())
                || POOL_CLOCK_CLASS.equals(thread.getClass().getName());
    }

    static boolean disposition(int signal) {
        return SIGNALS.contains(signal);
    }
}
