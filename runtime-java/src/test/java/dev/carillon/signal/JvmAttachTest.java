package dev.carillon.signal;

import dev.carillon.sys.LibCs;
import dev.carillon.sys.call.Sys;
import dev.carillon.sys.call.SysOver;
import org.junit.jupiter.api.Nested;

class JvmAttachTest {
    @Nested
    final class Jna extends SignalAttachContract {
        @Override
        CaptureKind capture() {
            return CaptureKind.JVM;
        }

        @Override
        Sys sys() {
            return SysOver.of(LibCs.jna());
        }
    }

    @Nested
    final class Ffm extends SignalAttachContract {
        @Override
        CaptureKind capture() {
            return CaptureKind.JVM;
        }

        @Override
        Sys sys() {
            return SysOver.of(LibCs.ffm());
        }
    }
}
