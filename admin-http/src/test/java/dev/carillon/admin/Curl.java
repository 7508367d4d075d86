package dev.carillon.admin;

import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.Programs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The client that people use. */
final class Curl {
    private Curl() {}

    /** Sends a request, and returns the body and, in a line of its own, the status. */
    static List<String> post(String address, String body, String... options) {
        Programs.need("curl");
        List<String> command = new ArrayList<>(List.of("curl", "-sS", "--max-time", "60", "-w", "\\n%{http_code}"));
        command.addAll(List.of("-H", "Content-Type: application/json", "-d", body));
        command.addAll(List.of(options));
        command.add(address);
        ChildExit exit = ChildCommand.of(command.toArray(String[]::new)).run(Duration.ofSeconds(60));
        return exit.stdout();
    }
}
