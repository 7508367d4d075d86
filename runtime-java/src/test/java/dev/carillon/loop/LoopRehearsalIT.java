package dev.carillon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import dev.carillon.sys.call.ProcessCalls;
import dev.carillon.sys.call.Sys;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a loop needs of the VM is there when it is open; in a VM of its own, as it is needed once. */
final class LoopRehearsalIT {
    // r[verify loop.linked]
    @Test
    void nothingIsLinkedForSystemCallsAfterALoopWasOpened() {
        try (ChildProcess child = ChildJvm.of(Calls.class).vmFlags("-Xint").start()) {
            ChildExit exit = child.awaitExit(Duration.ofSeconds(60));
            assertEquals(List.of("each took the same"), exit.stdout(), exit::toString);
        }
    }

    static final class Calls {
        private static final int CALLS = 300;

        public static void main(String[] args) {
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            EventLoop loop = EventLoop.open();
            ProcessCalls processes = Sys.get().processes();
            long[] taken = new long[CALLS];
            for (int i = 0; i < CALLS; i++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                processes.threadId();
                taken[i] = threads.getCurrentThreadAllocatedBytes() - before;
            }
            loop.close();
            int different = 0;
            // The first two load what the counting needs.
            for (int i = 3; i < CALLS; i++) {
                if (taken[i] != taken[2]) {
                    different++;
                    System.err.println("call " + i + " took " + taken[i] + " bytes, the third one " + taken[2]);
                }
            }
            System.out.println(different == 0 ? "each took the same" : different + " took more");
        }
    }
}
