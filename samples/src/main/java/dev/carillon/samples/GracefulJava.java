package dev.carillon.samples;

import com.sun.net.httpserver.HttpServer;
import dev.carillon.Signal;
import dev.carillon.lifecycle.Lifecycle;
import dev.carillon.samples.words.Word;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An HTTP server that ends in good order: kill it, press Ctrl-C once or twice, send USR1. */
public final class GracefulJava {
    public static void main(String[] arguments) throws IOException {
        if (!Word.fit("graceful-java [PORT]", arguments, Word.PORT)) {
            System.exit(2);
        }
        int port = arguments.length == 0 ? 0 : Integer.parseInt(arguments[0]);
        // region server
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        ExecutorService requests = Executors.newFixedThreadPool(4);
        server.setExecutor(requests);
        server.createContext("/", exchange -> {
            byte[] hello = "hello\n".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, hello.length);
            exchange.getResponseBody().write(hello);
            exchange.close();
        });

        Lifecycle lifecycle = Lifecycle.builder().build();
        // It closes the port, and then its connections when this time is over: the drain waits, not this.
        lifecycle.onStopAccepting("listener", () -> new Thread(() -> server.stop(60)).start());
        lifecycle.onDrain("requests", requests);
        lifecycle.onShutdown("last words", () -> System.out.println("closed in good order"));
        lifecycle.handle(Signal.SIGUSR1, info -> System.out.println("USR1 from pid " + info.pid()));
        lifecycle.start();
        server.start();
        // endregion
        System.out.println("pid=" + ProcessHandle.current().pid());
        System.out.println("http://localhost:" + server.getAddress().getPort() + "/");
    }
}
