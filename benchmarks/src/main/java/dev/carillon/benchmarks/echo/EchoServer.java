package dev.carillon.benchmarks.echo;

import dev.carillon.benchmarks.worker.Stage;

/** A server with one thread that sends back what comes. */
interface EchoServer extends AutoCloseable {
    /** Bytes that one read takes at most, for every server. */
    int BUFFER = 2048;

    /** Where it listens, as the load wants to hear it: {@code tcp:PORT}, {@code unix:NAME} for an abstract name or {@code file:PATH}. */
    String address();

    @Override
    void close();

    /** Starts a server, its thread on the first side's core. */
    @FunctionalInterface
    interface Maker {
        /**
         * Starts it on a free port or, for Unix sockets, under a name.
         *
         * @throws UnsupportedOperationException if this host can't run it
         */
        EchoServer start(Transport transport, Stage stage) throws Exception;
    }

    /** What carries the bytes. */
    enum Transport {
        /** TCP over IPv4 to the same host. */
        TCP,
        /** Unix sockets with an abstract name. */
        UNIX
    }

    /** Returns a name for a Unix socket of this process. */
    static String freeName() {
        return "carillon-echo-" + ProcessHandle.current().pid();
    }
}
