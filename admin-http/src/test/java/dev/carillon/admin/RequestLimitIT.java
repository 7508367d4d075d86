package dev.carillon.admin;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.time.Duration;
import org.junit.jupiter.api.Test;

// r[verify admin.rate]
final class RequestLimitIT {
    @Test
    void aMillionAddressesFitIntoASmallHeap() {
        ChildExit exit = ChildJvm.of(Strangers.class).vmFlags("-Xmx16m").run(Duration.ofSeconds(60));
        exit.assertPrinted("done");
    }

    static final class Strangers {
        public static void main(String[] args) {
            RequestLimit limit = new RequestLimit(10, Duration.ofDays(1), System::nanoTime);
            for (int stranger = 0; stranger < 1_000_000; stranger++) {
                limit.tryCount("network " + Integer.toHexString(stranger));
            }
            System.out.println("done");
        }
    }
}
