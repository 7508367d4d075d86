package dev.carillon.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.test.ChildCommand;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import dev.carillon.test.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The recipes of docs/admin.md, word for word, in a shell. */
class AdminEndpointIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Path GUIDE = Path.of(System.getProperty("carillon.root"), "docs", "admin.md");

    /** The block of the guide that sends a signal. */
    private static String recipe(String signal) throws IOException {
        String[] blocks = Files.readString(GUIDE).split("```", -1);
        for (String block : blocks) {
            if (block.startsWith("\ncurl") && block.contains("\"signal\":\"" + signal + "\"")) {
                return block;
            }
        }
        throw new AssertionError("docs/admin.md has no recipe for " + signal);
    }

    private static ChildExit shell(String script, String token, String address) {
        return ChildCommand.of("sh", "-c", script)
                .environment("ADMIN_TOKEN", token)
                .environment("ADMIN", address)
                .run(PATIENCE);
    }

    @Test
    void theRecipesOfTheGuideWork() throws Exception {
        Programs.need("curl");
        try (ChildProcess child = ChildJvm.of(AdminEndpoint.class).start()) {
            String token = child.awaitLine("token=", PATIENCE).substring("token=".length());
            String address = child.awaitLine("http://", PATIENCE);
            ChildExit usr1 = shell(recipe("USR1"), token, address);
            assertTrue(usr1.stdout().get(0).startsWith("{\"status\":\"accepted\",\"signal\":\"USR1\""), usr1::toString);
            child.awaitLine("USR1 came", PATIENCE);
            ChildExit hup = shell(recipe("HUP"), token, address);
            assertEquals(List.of("202"), hup.stdout(), hup::toString);
            ChildExit term = shell(recipe("TERM"), token, address);
            assertTrue(term.stdout().get(0).contains("\"correlation_id\":\"deploy-42\""), term::toString);
            ChildExit exit = child.awaitExit(PATIENCE);
            assertEquals(143, exit.code(), exit::toString);
        }
    }
}
