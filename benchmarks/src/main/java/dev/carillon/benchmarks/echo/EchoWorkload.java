package dev.carillon.benchmarks.echo;

import dev.carillon.benchmarks.echo.EchoServer.Transport;
import dev.carillon.benchmarks.worker.Workload;
import java.util.HashMap;
import java.util.Map;

/** What is asked of every {@link EchoServer}; one subclass for each maker. */
public abstract class EchoWorkload implements Workload {
    /** Connections that lie idle in the work "scale". */
    static final String IDLE = "carillon.bench.idle";

    /** Connections that are active in it. */
    static final int SCALE_ACTIVE = 100;

    private static final int[] CONNECTIONS = {1, 64, 1000};

    private final EchoServer.Maker maker;

    /** For servers of this package. */
    EchoWorkload(EchoServer.Maker maker) {
        this.maker = maker;
    }

    @Override
    public Map<String, Opener> works() {
        Map<String, Opener> works = new HashMap<>();
        for (int active : CONNECTIONS) {
            works.put("tcp-" + active, stage -> EchoWork.open(maker, Transport.TCP, active, 0, stage));
            works.put("unix-" + active, stage -> EchoWork.open(maker, Transport.UNIX, active, 0, stage));
            works.put(
                    "garbage-tcp-" + active,
                    stage -> new GarbageOf(EchoWork.open(maker, Transport.TCP, active, 0, stage)));
        }
        int idle = Integer.getInteger(IDLE, 0);
        works.put("scale", stage -> EchoWork.open(maker, Transport.TCP, SCALE_ACTIVE, idle, stage));
        return works;
    }

    /** Ours. */
    public static final class Carillon extends EchoWorkload {
        /** For the worker. */
        public Carillon() {
            super(CarillonEcho::new);
        }
    }

    /** Netty on epoll. */
    public static final class NettyEpoll extends EchoWorkload {
        /** For the worker. */
        public NettyEpoll() {
            super(NettyEcho::epoll);
        }
    }

    /** Netty on io_uring. */
    public static final class NettyUring extends EchoWorkload {
        /** For the worker. */
        public NettyUring() {
            super(NettyEcho::uring);
        }
    }

    /** The JDK's selector. */
    public static final class Nio extends EchoWorkload {
        /** For the worker. */
        public Nio() {
            super(NioEcho::new);
        }
    }

    /** Virtual threads. */
    public static final class VirtualThreads extends EchoWorkload {
        /** For the worker. */
        public VirtualThreads() {
            super((transport, stage) -> new VirtualThreadEcho(stage));
        }
    }
}
