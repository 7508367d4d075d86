package dev.carillon.benchmarks;

import dev.carillon.benchmarks.bytes.MemoryBenchmark;
import dev.carillon.benchmarks.coroutines.CoroutinesBenchmark;
import dev.carillon.benchmarks.echo.CoroutineEchoBenchmark;
import dev.carillon.benchmarks.echo.EchoBenchmark;
import dev.carillon.benchmarks.echo.ScaleBenchmark;
import dev.carillon.benchmarks.exit.ExitBenchmark;
import dev.carillon.benchmarks.footprint.FootprintBenchmark;
import dev.carillon.benchmarks.garbage.GarbageBenchmark;
import dev.carillon.benchmarks.model.Benchmark;
import dev.carillon.benchmarks.park.ParkBenchmark;
import dev.carillon.benchmarks.post.PostBenchmark;
import dev.carillon.benchmarks.shm.GuestsBenchmark;
import dev.carillon.benchmarks.shm.ShmBenchmark;
import dev.carillon.benchmarks.shm.TripBenchmark;
import dev.carillon.benchmarks.signals.SignalBenchmark;
import dev.carillon.benchmarks.spawn.SpawnBenchmark;
import dev.carillon.benchmarks.start.StartBenchmark;
import dev.carillon.benchmarks.syscalls.SyscallsBenchmark;
import dev.carillon.benchmarks.timers.TimersBenchmark;
import dev.carillon.benchmarks.wake.WakeBenchmark;
import java.util.List;

/** All benchmarks, in the order in which they run. */
final class Catalog {
    static final List<Benchmark> ALL = List.of(
            SyscallsBenchmark.define(),
            MemoryBenchmark.define(),
            PostBenchmark.define(),
            ParkBenchmark.define(),
            TimersBenchmark.define(),
            EchoBenchmark.define(),
            ScaleBenchmark.define(),
            CoroutinesBenchmark.define(),
            CoroutineEchoBenchmark.define(),
            GarbageBenchmark.define(),
            StartBenchmark.define(),
            ExitBenchmark.define(),
            FootprintBenchmark.define(),
            SignalBenchmark.define(),
            SpawnBenchmark.define(),
            WakeBenchmark.define(),
            ShmBenchmark.define(),
            TripBenchmark.define(),
            GuestsBenchmark.define());

    private Catalog() {}

    static String text() {
        StringBuilder out = new StringBuilder();
        for (Benchmark benchmark : ALL) {
            out.append(String.format("%-10s %s%n", benchmark.name(), benchmark.description()));
            benchmark
                    .cases()
                    .forEach(c -> out.append("           - ").append(c.name()).append('\n'));
        }
        return out.toString();
    }
}
