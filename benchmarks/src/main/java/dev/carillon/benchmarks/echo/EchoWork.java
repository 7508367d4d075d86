package dev.carillon.benchmarks.echo;

import dev.carillon.benchmarks.echo.EchoServer.Transport;
import dev.carillon.benchmarks.worker.Figures;
import dev.carillon.benchmarks.worker.Stage;
import dev.carillon.benchmarks.worker.WarmUp;
import dev.carillon.benchmarks.worker.Work;
import java.io.IOException;
import java.io.UncheckedIOException;

/** A server in this process, and the load in another one. */
final class EchoWork implements Work {
    private static final int WARM_UPS = 10;
    private static final int WARM_UP_OPS = 1000;

    private final EchoServer server;
    private final Load load;

    private EchoWork(EchoServer server, Load load) {
        this.server = server;
        this.load = load;
    }

    static Work open(EchoServer.Maker maker, Transport transport, int active, int idle, Stage stage) throws Exception {
        String program = System.getProperty("carillon.c.load");
        if (program == null) {
            throw new IllegalStateException("no load: the harness names its program with -Dcarillon.c.load=FILE");
        }
        EchoServer server = maker.start(transport, stage);
        Work work;
        try {
            work = new EchoWork(server, new Load(program, server, active, idle, stage));
        } catch (IOException e) {
            server.close();
            throw e;
        }
        try {
            return WarmUp.rounds(work, WARM_UPS, WARM_UP_OPS);
        } catch (IOException | UnsupportedOperationException e) {
            work.close();
            throw e;
        }
    }

    @Override
    public void round(long ops, Figures figures) throws IOException {
        figures.nanos(load.round(ops));
    }

    @Override
    public void close() {
        try {
            load.close();
        } catch (IOException e) {
            throw new UncheckedIOException("the load", e);
        } finally {
            server.close();
        }
    }
}
