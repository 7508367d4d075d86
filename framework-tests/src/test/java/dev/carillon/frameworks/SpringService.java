package dev.carillon.frameworks;

import dev.carillon.lifecycle.Lifecycle;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

// region service
@SpringBootApplication
public class SpringService {
    public static void main(String[] arguments) {
        Lifecycle lifecycle =
                Lifecycle.builder().timeout(Duration.ofSeconds(60)).build();
        SpringApplication spring = new SpringApplication(SpringService.class);
        spring.setDefaultProperties(Map.of(
                // The lifecycle closes the context, so no hook of Spring does.
                "spring.main.register-shutdown-hook", "false",
                "server.shutdown", "graceful",
                // Less time than the whole shutdown has.
                "spring.lifecycle.timeout-per-shutdown-phase", "50s"));
        spring.addInitializers(context -> {
            lifecycle.onStopAccepting("spring", context::close);
            // For beans that add hooks, handle signals, or end the program.
            context.getBeanFactory().registerSingleton("lifecycle", lifecycle);
        });
        lifecycle.start();
        spring.run(arguments);
        lifecycle.ready();
    }
}
// endregion
