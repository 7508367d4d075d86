package dev.carillon.frameworks;

import dev.carillon.lifecycle.Lifecycle;
import jakarta.annotation.PreDestroy;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The routes of the service, and what tells the test of their end. */
@RestController
class SpringParts {
    private final Lifecycle lifecycle;

    SpringParts(Lifecycle lifecycle) {
        this.lifecycle = lifecycle;
        Work.addHooks(lifecycle);
        if (Boolean.getBoolean("start.waits")) {
            Work.awaitLine();
        }
    }

    @EventListener
    void serves(ApplicationReadyEvent event) {
        Work.listen();
        System.out.println(
                "port=" + event.getApplicationContext().getEnvironment().getRequiredProperty("local.server.port"));
    }

    @GetMapping("/")
    String quickly() {
        return Work.ANSWER;
    }

    @GetMapping("/slow")
    String slowly() throws InterruptedException {
        return Work.slowly();
    }

    @GetMapping("/large")
    void largely(HttpServletResponse response) throws IOException {
        response.setContentLength(Work.LARGE);
        response.getOutputStream().write(new byte[Work.LARGE]);
        Work.tell(Work.LARGE_ANSWERED);
    }

    @GetMapping("/leave")
    String leave() {
        lifecycle.exit(Work.CODE_OF_PROGRAM);
        return Work.ANSWER;
    }

    @EventListener
    void closes(ContextClosedEvent event) {
        Work.tell("the context closes");
    }

    @PreDestroy
    void destroy() {
        Work.tell("a bean is destroyed");
        if (Boolean.getBoolean("hook.exits")) {
            System.exit(Work.CODE_OF_PROGRAM);
        }
    }
}
