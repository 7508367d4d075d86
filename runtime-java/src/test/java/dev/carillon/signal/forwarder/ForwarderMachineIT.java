package dev.carillon.signal.forwarder;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.sys.code.Machine;
import dev.carillon.test.ChildExit;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The machine code in a C program, where a single signal and a single child can be watched. */
class ForwarderMachineIT {
    @TempDir
    private Path folder;

    private ForwarderProgram program;

    @BeforeEach
    void compile() throws Exception {
        program = ForwarderProgram.compile(folder, Machine.here());
    }

    // r[verify signal.siginfo] r[verify signal.vm-tools] r[verify signal.fork] r[verify signal.exit-untouched]
    // r[verify signal.carrier] r[verify signal.overflow]
    @ParameterizedTest
    @ValueSource(
            strings = {
                "forwarded",
                "beyond the pipe",
                "strays",
                "held back",
                "vm's suspension",
                "passed on",
                "child",
                "window of vfork",
                "refused"
            })
    void theHandlerDoesWhatItsListingSays(String scenario) {
        ChildExit exit = program.run(scenario, "direct");
        assertEquals(0, exit.code(), exit::toString);
    }

    // r[verify signal.exit-untouched]
    @Test
    void withoutALoopTheHandlerBeforeIsCalledAndTheDefaultEnds() {
        ChildExit exit = program.run("no loop", "direct");
        assertEquals(128 + 1, exit.code(), exit::toString);
    }

    // r[verify signal.fork]
    @ParameterizedTest
    @ValueSource(strings = {"in a namespace of its own", "just so, by vfork"})
    void aChildWithOurOwnNumberIsStillAChild(String scenario) {
        ChildExit exit = program.run(scenario, "direct");
        Assumptions.assumeTrue(exit.code() != 78, "this user may not make a pid namespace");
        assertEquals(0, exit.code(), exit::toString);
    }

    /** Registers, frame and siginfo of the caller are as before, on each way through the code. */
    // r[verify signal.chained]
    @ParameterizedTest
    @CsvSource({
        "forwarded,0",
        "beyond the pipe,0",
        "strays,0",
        "held back,0",
        "vm's suspension,0",
        "passed on,0",
        "child,0",
        "window of vfork,0",
        "refused,0",
        "no loop,129"
    })
    void aHandlerOfSomebodyElseMayCallOurs(String scenario, int code) {
        ChildExit exit = program.run(scenario, "chained");
        assertEquals(code, exit.code(), exit::toString);
    }
}
