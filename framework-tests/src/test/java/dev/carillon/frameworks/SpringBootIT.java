package dev.carillon.frameworks;

import static dev.carillon.frameworks.RunningService.LIMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import dev.carillon.test.ChildProcess;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;

/** Spring Boot with Tomcat, in the version of the module that runs this. */
final class SpringBootIT extends ServiceContract {
    @Override
    ChildJvm service(Way way) {
        ChildJvm program = ChildJvm.of(way == Way.HOOK_ALONE ? SpringAlone.class : SpringService.class)
                .args("--server.port=0", "--server.address=127.0.0.1", "--spring.main.banner-mode=off");
        return way == Way.RECIPE ? program : program.args("--spring.main.register-shutdown-hook=true");
    }

    @Override
    List<String> endOfFramework() {
        return List.of("the context closes", Work.ANSWERED, "a bean is destroyed");
    }

    @Test
    void aTermWhileItStartsEndsWhatWasStarted() {
        try (ChildProcess child =
                service(Way.RECIPE).vmFlags("-Dstart.waits=true").start()) {
            child.awaitLine("it starts", LIMIT);
            child.send("TERM");
            child.awaitLine(Pattern.compile("The shutdown begins"), LIMIT);
            child.writeLine("go on");
            ChildExit exit = child.awaitExit(LIMIT);
            assertEquals(143, exit.code(), exit::toString);
            assertEquals(
                    List.of(
                            "the context closes",
                            "a bean is destroyed",
                            "hook 2 of the lifecycle",
                            "hook 1 of the lifecycle",
                            "hook of the VM"),
                    RunningService.order(exit.stdout()),
                    exit::toString);
        }
    }

    @Test
    void itIsTheVersionOfThisModule() {
        assertEquals(System.getProperty("carillon.spring.boot"), SpringBootVersion.getVersion());
    }
}
