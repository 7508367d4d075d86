package dev.carillon.signal;

import static dev.carillon.sys.layout.Constants.SI_TIMER;
import static dev.carillon.sys.layout.Constants.SI_USER;
import static dev.carillon.sys.layout.SiginfoLayout.SI_PID;
import static dev.carillon.sys.layout.SiginfoLayout.SI_STATUS;
import static dev.carillon.sys.layout.SiginfoLayout.SI_UID;
import static dev.carillon.sys.layout.SiginfoLayout.SI_VALUE;

import dev.carillon.Signal;
import dev.carillon.SignalInfo;
import dev.carillon.sys.layout.Constants;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads what the forwarder sent, the first bytes of a siginfo_t: a child's status or a descriptor is found where a value
 * would be, a timer's number and overrun where the sender would be.
 *
 * <p><b>Threading:</b> any thread; stateless.
 *
 * <p><b>See:</b> siginfo_t in sigaction(2).
 */
// r[impl signal.siginfo]
final class SiginfoDecoder {
    /** In the first pid namespace no sender is out of sight, so a pid of 0 means that the kernel had no memory for it. */
    static final boolean FIRST_NAMESPACE = isFirstNamespace();

    private SiginfoDecoder() {}

    static SignalInfo decode(Signal signal, int code, ByteBuffer bytes, int at) {
        int pid = bytes.getInt(at + SI_PID);
        int uid = bytes.getInt(at + SI_UID);
        if (code == SI_USER && pid == 0 && FIRST_NAMESPACE) {
            return SignalInfo.of(signal);
        }
        if (code > SI_USER && code < Constants.SI_KERNEL) {
            return ofKernel(signal, code, bytes, at);
        }
        if (code == SI_TIMER) {
            return new SignalInfo(signal, code, 0, 0, uid, 0, bytes.getLong(at + SI_VALUE));
        }
        return new SignalInfo(signal, code, pid, uid, 0, 0, bytes.getLong(at + SI_VALUE));
    }

    /** A child's state, or the readiness of a descriptor (its band lies where the sender would be). */
    private static SignalInfo ofKernel(Signal signal, int code, ByteBuffer bytes, int at) {
        int word = bytes.getInt(at + SI_STATUS);
        return signal.equals(Signal.SIGCHLD)
                ? new SignalInfo(signal, code, bytes.getInt(at + SI_PID), bytes.getInt(at + SI_UID), word, 0, 0)
                : new SignalInfo(signal, code, 0, 0, 0, 0, word);
    }

    private static boolean isFirstNamespace() {
        try {
            // The inode of the first one is a constant of the kernel: PROC_PID_INIT_INO.
            return Files.readSymbolicLink(Path.of("/proc/self/ns/pid"))
                    .toString()
                    .equals("pid:[4026531836]");
        } catch (IOException notTold) {
            return false;
        }
    }
}
