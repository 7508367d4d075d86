package dev.carillon.benchmarks.shm;

import dev.carillon.benchmarks.worker.Figures;
import dev.carillon.benchmarks.worker.Stage;
import dev.carillon.benchmarks.worker.Work;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A host with as many guests as it can have: what a round trip with one of them takes, and what each of the others costs. */
public final class GuestsWorkload extends ShmWorkload {
    static final String ASLEEP = TripWorkload.ASLEEP;
    static final String DESCRIPTORS = "descriptors";
    static final String MEMORY = "memory";

    /** Has a variant with other guests: {@code idle} or {@code busy}. */
    static final String OTHERS = "carillon.bench.others";

    private static final long QUIET_MILLIS = 100;

    /** Where the work that is opened runs, for what it starts. */
    private static final ThreadLocal<Stage> STAGE = new ThreadLocal<>();

    /** For the worker. */
    public GuestsWorkload() {
        super(Map.of(ASLEEP, new Exchange(Traffic.small(1), () -> new LinkTripWire(true, GuestsWorkload::host))));
    }

    @Override
    public Map<String, Opener> works() {
        Map<String, Opener> works = new HashMap<>();
        super.works()
                .forEach((name, opener) -> works.put(name, stage -> {
                    STAGE.set(stage);
                    return opener.open(stage);
                }));
        works.put(DESCRIPTORS, stage -> new Cost(stage, GuestsWorkload::descriptors));
        works.put(MEMORY, stage -> new Cost(stage, GuestsWorkload::resident));
        return works;
    }

    /** The others live as long as it does. */
    private static LinkHost host() throws Exception {
        String others = System.getProperty(OTHERS);
        return others == null ? new LinkHost(LinkTripWire.CONFIG) : crowded(others.equals("busy"), STAGE.get());
    }

    private static LinkHost crowded(boolean busy, Stage stage) throws Exception {
        LinkHost host = new LinkHost(LinkTripWire.CONFIG, OtherGuests.LINK, OtherGuests.COUNT);
        boolean full = false;
        try {
            host.with(OtherGuests.come(host, busy, stage));
            full = true;
            return host;
        } finally {
            if (!full) {
                host.close();
            }
        }
    }

    private static double descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }

    /** In KiB, after a collection. */
    private static double resident() throws IOException {
        System.gc();
        List<String> status = Files.readAllLines(Path.of("/proc/self/status"));
        return status.stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .sum();
    }

    /** What a process has at present. */
    @FunctionalInterface
    private interface Look {
        double now() throws IOException;
    }

    /** What a host has more of for each guest that it watches. It is looked at once: so many guests take seconds to come. */
    private static final class Cost implements Work {
        private final Stage stage;
        private final Look look;
        private double each = Double.NaN;

        Cost(Stage stage, Look look) {
            this.stage = stage;
            this.look = look;
        }

        @Override
        public void round(long ops, Figures figures) throws Exception {
            if (Double.isNaN(each)) {
                each = cost();
            }
            figures.value(each);
        }

        private double cost() throws Exception {
            double before = quiet();
            LinkHost host = crowded(false, stage);
            try {
                return (quiet() - before) / OtherGuests.COUNT;
            } finally {
                host.close();
            }
        }

        /** What it is when it does not change any more: a host begins to watch in the background. */
        private double quiet() throws Exception {
            double last = look.now();
            for (double before = Double.NaN; before != last; last = look.now()) {
                before = last;
                Thread.sleep(QUIET_MILLIS);
            }
            return last;
        }
    }
}
