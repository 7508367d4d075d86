package dev.carillon.sys.call;

import dev.carillon.sys.LibCs;
import org.junit.jupiter.api.Nested;

/** Every family of calls through JNA. */
final class JnaCallsTest {
    @Nested
    final class DescriptorCalls extends DescriptorCallsContract {
        DescriptorCalls() {
            super(LibCs.jna());
        }
    }

    @Nested
    final class FileCalls extends FileCallsContract {
        FileCalls() {
            super(LibCs.jna());
        }
    }

    @Nested
    final class PollSet extends PollSetContract {
        PollSet() {
            super(LibCs.jna());
        }
    }

    @Nested
    final class SocketCalls extends SocketCallsContract {
        SocketCalls() {
            super(LibCs.jna());
        }
    }

    @Nested
    final class DescriptorMessage extends DescriptorMessageContract {
        DescriptorMessage() {
            super(LibCs.jna());
        }
    }

    @Nested
    final class SignalCalls extends SignalCallsContract {
        SignalCalls() {
            super(LibCs.jna());
        }
    }

    @Nested
    final class ProcessCalls extends ProcessCallsContract {
        ProcessCalls() {
            super(LibCs.jna());
        }
    }

    @Nested
    final class MemoryCalls extends MemoryCallsContract {
        MemoryCalls() {
            super(LibCs.jna());
        }
    }

    @Nested
    final class UringCalls extends UringCallsContract {
        UringCalls() {
            super(LibCs.jna());
        }
    }

    @Nested
    final class EpollWithPwait2 extends EpollContract {
        EpollWithPwait2() {
            super(LibCs.jna(), true);
        }
    }

    // r[verify sys.epoll-timeout]
    @Nested
    final class EpollWithTimerfd extends EpollContract {
        EpollWithTimerfd() {
            super(LibCs.jna(), false);
        }
    }
}
