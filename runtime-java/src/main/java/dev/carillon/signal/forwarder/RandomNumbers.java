package dev.carillon.signal.forwarder;

import static dev.carillon.sys.layout.Constants.O_RDONLY;

import dev.carillon.SyscallException;
import dev.carillon.sys.Failure;
import dev.carillon.sys.Fd;
import dev.carillon.sys.NativeBytes;
import dev.carillon.sys.call.Sys;
import java.security.SecureRandom;

/** Numbers that cannot be guessed. <b>Threading:</b> any thread. */
// r[impl signal.cookie]
final class RandomNumbers {
    private static final String GENERATOR = "/dev/urandom";

    private RandomNumbers() {}

    /**
     * Of the kernel's generator. {@link SecureRandom} asks the same one, but takes 20 ms to load when a program starts, and
     * where no descriptor is left it fails then, and for good.
     *
     * @throws SyscallException if there are no descriptors left
     */
    static long next(Sys sys) {
        try (Fd generator = sys.files().open(GENERATOR, O_RDONLY, 0);
                NativeBytes bytes = NativeBytes.allocate(sys.libc(), Long.BYTES)) {
            int number = generator.acquire();
            try {
                if (sys.descriptors().read(number, bytes.address(), Long.BYTES) == Long.BYTES) {
                    return bytes.bytes().getLong(0);
                }
            } finally {
                generator.release();
            }
        } catch (SyscallException missing) {
            if (Failure.isTransient(missing)) {
                throw missing;
            }
        }
        return new SecureRandom().nextLong();
    }
}
