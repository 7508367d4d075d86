package dev.carillon.frameworks;

import dev.carillon.lifecycle.Lifecycle;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;

/** What the services under test do, whatever their framework: a request that takes a while, hooks that tell of themselves. */
final class Work {
    static final String ANSWER = "the answer";
    static final String ANSWERED = "the slow request is answered";
    static final int CODE_OF_PROGRAM = 3;

    /** More than the kernel and a server keep of an answer that its client does not read, and no multiple of a buffer. */
    static final int LARGE = (16 << 20) + 1000;

    static final String LARGE_ANSWERED = "the large request is answered";

    /** How long the framework's own hook may take where it is alone. */
    static final Duration HALT_AFTER = Duration.ofSeconds(Integer.getInteger("halt.after", 60));

    private static final CountDownLatch MAY_ANSWER = new CountDownLatch(1);

    private Work() {}

    /** A line for the test, in the order in which things happen. */
    static void tell(String what) {
        System.out.println("order: " + what);
    }

    /** Two hooks of the lifecycle, and one of a library that knows nothing of it. */
    static void addHooks(Lifecycle lifecycle) {
        lifecycle.onShutdown("1", () -> tell("hook 1 of the lifecycle"));
        lifecycle.onShutdown("2", () -> tell("hook 2 of the lifecycle"));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> tell("hook of the VM")));
    }

    /** What the test says on standard input: that the slow request may have its answer, or that the program is to end. */
    static void listen() {
        Thread listener = new Thread(() -> {
            Scanner test = new Scanner(System.in, StandardCharsets.UTF_8);
            while (test.hasNextLine()) {
                if (test.nextLine().equals("exit")) {
                    System.exit(CODE_OF_PROGRAM);
                }
                MAY_ANSWER.countDown();
            }
        });
        listener.setDaemon(true);
        listener.start();
    }

    /** Waits for a line from the test, as a start that takes long. */
    static void awaitLine() {
        System.out.println("it starts");
        new Scanner(System.in, StandardCharsets.UTF_8).nextLine();
    }

    /** Waits until the test allows the answer. */
    static String slowly() throws InterruptedException {
        System.out.println("the slow request runs");
        MAY_ANSWER.await();
        tell(ANSWERED);
        return ANSWER;
    }
}
