package dev.carillon.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ProcessSnapshot.Leftover;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessSnapshotIT {
    private static final Duration SOON = Duration.ofSeconds(20);

    /** As process 1 of its own pid namespace a VM inherits all orphans, and nobody in it waits for them. */
    @Test
    void aZombieIsCaught() {
        String me = System.getProperty("user.name");
        Assumptions.assumeTrue("root".equals(me), "only root may make a pid namespace, and this is " + me);
        try (ChildProcess child = ChildJvm.of(Adopts.class)
                .prefix("unshare", "--pid", "--fork", "--mount-proc")
                .start()) {
            // The pipes of the shell may be there for a moment, too.
            Pattern zombie = Pattern.compile("\"sleep\" in state Z \\(zombie: ended, but nobody waited for it\\)");
            String line = child.awaitLine(zombie, SOON);
            assertTrue(line.startsWith("leftover child "), line);
        }
    }

    @Test
    void whatTheJdkKeepsForItselfIsNoLeak() {
        for (Jdk jdk : List.of(Jdk.current(), Jdk.second().orElse(Jdk.current()))) {
            try (ChildProcess child = ChildJvm.of(OpensAndCloses.class).jdk(jdk).start()) {
                assertEquals("leftovers []", child.awaitLine("leftovers", SOON.multipliedBy(2)), jdk.toString());
            }
        }
    }

    @Test
    void aJarThatAClassLoaderOpenedIsNoLeak(@TempDir Path folder) throws IOException {
        Path jar = folder.resolve("some.jar");
        new JarOutputStream(Files.newOutputStream(jar)).close();
        ProcessSnapshot before = ProcessSnapshot.take();
        try (JarFile open = new JarFile(jar.toFile())) {
            assertEquals(List.of(), leftSince(before), open.getName());
        }
    }

    @Test
    void aTaskThatEndedIsNotMissed() throws InterruptedException {
        Thread thread = new Thread(() -> {}, "short-lived");
        ProcessSnapshot before = ProcessSnapshot.take();
        thread.start();
        thread.join(SOON.toMillis());
        assertEquals(List.of(), leftSince(before));
    }

    /** What stays: the VM itself opens and closes something at any moment. */
    private static List<Leftover> leftSince(ProcessSnapshot before) {
        List<Leftover> left = new ArrayList<>();
        Deadline.after(SOON).poll(() -> {
            left.clear();
            left.addAll(ProcessSnapshot.take().since(before));
            return left.isEmpty();
        });
        return left;
    }

    static final class OpensAndCloses {
        public static void main(String[] args) throws Exception {
            ProcessSnapshot before = ProcessSnapshot.take();
            try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                    Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                    Socket accepted = server.accept();
                    DatagramSocket datagrams = new DatagramSocket()) {
                accepted.getOutputStream().write(1);
                client.getInputStream().read();
                assertTrue(datagrams.isBound());
            }
            new ProcessBuilder("true").start().waitFor();
            new SecureRandom().nextInt();
            System.out.println(LocalDateTime.now(ZoneId.of("Europe/Vienna")));
            CompletableFuture.supplyAsync(() -> 1)
                    .orTimeout(SOON.toMillis(), TimeUnit.MILLISECONDS)
                    .get();
            System.out.println("leftovers " + leftSince(before));
        }
    }

    static final class Adopts {
        public static void main(String[] args) throws IOException, InterruptedException {
            ProcessSnapshot before = ProcessSnapshot.take();
            new ProcessBuilder("sh", "-c", "sleep 0.01 &").start().waitFor();
            Deadline.after(SOON)
                    .await(
                            "a zombie is there",
                            () -> ProcessSnapshot.take().since(before).stream()
                                    .anyMatch(leftover -> leftover.what().contains("zombie")));
            ProcessSnapshot.take().since(before).forEach(leftover -> System.out.println("leftover " + leftover.what()));
        }
    }
}
