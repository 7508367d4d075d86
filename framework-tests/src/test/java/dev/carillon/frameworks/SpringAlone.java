package dev.carillon.frameworks;

import dev.carillon.lifecycle.Lifecycle;
import java.util.Map;
import org.springframework.boot.SpringApplication;

/** No step of the lifecycle closes the context: Spring's own hook does. */
final class SpringAlone {
    private SpringAlone() {}

    public static void main(String[] arguments) {
        Lifecycle lifecycle = Lifecycle.builder().haltAfter(Work.HALT_AFTER).build();
        SpringApplication spring = new SpringApplication(SpringService.class);
        // The same default as in the recipe, so that this also shows that the test switches the hook on.
        spring.setDefaultProperties(Map.of("spring.main.register-shutdown-hook", "false"));
        spring.addInitializers(context -> context.getBeanFactory().registerSingleton("lifecycle", lifecycle));
        lifecycle.start();
        spring.run(arguments);
    }
}
