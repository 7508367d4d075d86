package dev.carillon.sys.call;

import dev.carillon.sys.LibCs;
import org.junit.jupiter.api.Nested;

/** Every family of calls through java.lang.foreign. */
final class FfmCallsTest {
    @Nested
    final class DescriptorCalls extends DescriptorCallsContract {
        DescriptorCalls() {
            super(LibCs.ffm());
        }
    }

    @Nested
    final class FileCalls extends FileCallsContract {
        FileCalls() {
            super(LibCs.ffm());
        }
    }

    @Nested
    final class PollSet extends PollSetContract {
        PollSet() {
            super(LibCs.ffm());
        }
    }

    @Nested
    final class SocketCalls extends SocketCallsContract {
        SocketCalls() {
            super(LibCs.ffm());
        }
    }

    @Nested
    final class DescriptorMessage extends DescriptorMessageContract {
        DescriptorMessage() {
            super(LibCs.ffm());
        }
    }

    @Nested
    final class SignalCalls extends SignalCallsContract {
        SignalCalls() {
            super(LibCs.ffm());
        }
    }

    @Nested
    final class ProcessCalls extends ProcessCallsContract {
        ProcessCalls() {
            super(LibCs.ffm());
        }
    }

    @Nested
    final class MemoryCalls extends MemoryCallsContract {
        MemoryCalls() {
            super(LibCs.ffm());
        }
    }

    @Nested
    final class UringCalls extends UringCallsContract {
        UringCalls() {
            super(LibCs.ffm());
        }
    }

    @Nested
    final class EpollWithPwait2 extends EpollContract {
        EpollWithPwait2() {
            super(LibCs.ffm(), true);
        }
    }

    // r[verify sys.epoll-timeout]
    @Nested
    final class EpollWithTimerfd extends EpollContract {
        EpollWithTimerfd() {
            super(LibCs.ffm(), false);
        }
    }
}
