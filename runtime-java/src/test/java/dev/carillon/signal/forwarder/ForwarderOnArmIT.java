package dev.carillon.signal.forwarder;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.sys.code.Machine;
import dev.carillon.test.ChildExit;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The machine code for aarch64 on another machine, by an emulator of programs. That one hands on but a part of what is queued
 * with a signal, and queues one of a kind: so the cases of the carrier need a kernel for arm64, which {@code .ci/arm64}
 * emulates.
 */
class ForwarderOnArmIT {
    /** The emulator keeps the highest signals for itself. */
    private static final String CARRIER = "-DCARRIER=60";

    @TempDir
    private Path folder;

    private ForwarderProgram program;

    @BeforeEach
    void compile() throws Exception {
        Assumptions.assumeFalse(Machine.AARCH64.isHere(), "this is such a machine, and runs all cases");
        program = ForwarderProgram.compile(folder, Machine.AARCH64, CARRIER);
    }

    // r[verify signal.siginfo] r[verify signal.vm-tools] r[verify signal.fork] r[verify signal.exit-untouched]
    // r[verify signal.chained]
    @ParameterizedTest
    @CsvSource({
        "forwarded,0",
        "vm's suspension,0",
        "passed on,0",
        "child,0",
        "window of vfork,0",
        "no loop,129",
    })
    void theHandlerDoesWhatItsListingSays(String scenario, int code) {
        for (String way : new String[] {"direct", "chained"}) {
            ChildExit exit = program.run(scenario, way);
            assertEquals(code, exit.code(), exit::toString);
        }
    }
}
