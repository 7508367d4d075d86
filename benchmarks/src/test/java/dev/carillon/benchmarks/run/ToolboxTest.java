package dev.carillon.benchmarks.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ToolboxTest {
    private static final Path MODULE = Path.of("/tree/benchmarks");

    @Test
    void whatGradleBuiltWritesBelowBuild() {
        assertEquals(
                Path.of("/tree/benchmarks/build"),
                Toolbox.outputOf(MODULE, "/cache/a.jar:/tree/benchmarks/build/classes/java/main"));
        assertEquals(
                Path.of("/tree/benchmarks/build"),
                Toolbox.outputOf(MODULE, "/tree/benchmarks/build/libs/carillon-benchmarks-0.1.0.jar"));
    }

    @Test
    void whatMavenBuiltWritesBelowTarget() {
        assertEquals(
                Path.of("/tree/benchmarks/target"),
                Toolbox.outputOf(MODULE, "/tree/benchmarks/target/classes:/tree/benchmarks/building/a.jar"));
    }
}
