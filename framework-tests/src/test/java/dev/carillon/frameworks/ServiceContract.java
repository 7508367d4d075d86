package dev.carillon.frameworks;

import static dev.carillon.frameworks.RunningService.order;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.frameworks.RunningService.Answer;
import dev.carillon.test.ChildExit;
import dev.carillon.test.ChildJvm;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the recipes promise, for each framework. */
// r[verify life.frameworks]
abstract class ServiceContract {
    private static final List<String> OF_LIFECYCLE = List.of("hook 2 of the lifecycle", "hook 1 of the lifecycle");

    private static final Optional<Answer> ANSWERED = Optional.of(new Answer(200, Work.ANSWER));

    /** The program, which prints its port when it serves. */
    abstract ChildJvm service(Way way);

    /** What the framework tells of its end, in its order, with {@link Work#ANSWERED} among it. */
    abstract List<String> endOfFramework();

    private RunningService start(Way way) {
        return RunningService.start(service(way));
    }

    @ParameterizedTest
    @EnumSource(names = {"RECIPE", "HOOK_LEFT_ON"})
    void aTermDrainsThenTheHooksOfBothRunAndTheCodeIs143(Way way) throws Exception {
        try (RunningService service = start(way)) {
            service.beginSlowRequest();
            assertEquals(ANSWERED, service.get("/"));
            service.child().send("TERM");
            service.awaitNewRequestsTurnedAway();
            service.allowAnswer();
            ChildExit exit = service.awaitExit();
            assertEquals(ANSWERED, service.slowAnswer(), exit::toString);
            assertEquals(143, exit.code(), exit::toString);
            List<String> expected = new ArrayList<>(endOfFramework());
            expected.addAll(OF_LIFECYCLE);
            expected.add("hook of the VM");
            assertEquals(expected, order(exit.stdout()), exit::toString);
        }
    }

    /** The handler may have given its answer away long before the client has it. */
    @ParameterizedTest
    @ValueSource(strings = {"keep-alive", "close"})
    void aClientThatReadsSlowlyGetsItsWholeAnswer(String connection) throws Exception {
        try (RunningService service = start(Way.RECIPE);
                LargeAnswer answer = service.beginLargeRequest(connection)) {
            // A request between two reads lets the server do what it wants to do.
            while (!service.hasTold(Work.LARGE_ANSWERED) && answer.readSome()) {
                service.get("/");
            }
            service.child().send("TERM");
            service.awaitNewRequestsTurnedAway();
            while (answer.readSome()) {
                service.get("/");
            }
            assertEquals(Work.LARGE, answer.length());
            assertEquals(143, service.awaitExit().code());
        }
    }

    @Test
    void withItsOwnHookAloneTheFrameworkEndsAfterTheHooksOfTheLifecycle() {
        try (RunningService service = start(Way.HOOK_ALONE)) {
            assertEquals(ANSWERED, service.get("/"));
            service.child().send("TERM");
            ChildExit exit = service.awaitExit();
            assertEquals(143, exit.code(), exit::toString);
            List<String> expected = new ArrayList<>(OF_LIFECYCLE);
            expected.addAll(withoutSlowRequest());
            List<String> told = new ArrayList<>(order(exit.stdout()));
            // All hooks of the VM run at once.
            assertTrue(told.remove("hook of the VM"), exit::toString);
            assertEquals(expected, told, exit::toString);
        }
    }

    @Test
    void aSecondInterruptEndsItAtOnceWhileTheFrameworkDrains() {
        try (RunningService service = start(Way.RECIPE)) {
            service.beginSlowRequest();
            service.interruptUntilItEnds();
            ChildExit exit = service.awaitExit();
            assertEquals(130, exit.code(), exit::toString);
            assertTrue(order(exit.stdout()).stream().noneMatch(OF_LIFECYCLE::contains), exit::toString);
        }
    }

    @Test
    void aRequestThatEndsTheProgramByTheLifecycleGetsItsAnswer() {
        try (RunningService service = start(Way.RECIPE)) {
            assertEquals(ANSWERED, service.get("/leave"));
            ChildExit exit = service.awaitExit();
            assertEquals(Work.CODE_OF_PROGRAM, exit.code(), exit::toString);
            assertTrue(order(exit.stdout()).containsAll(OF_LIFECYCLE), exit::toString);
        }
    }

    @Test
    void aHookOfTheFrameworkThatCallsExitStopsNothing() {
        try (RunningService service = RunningService.start(service(Way.RECIPE).vmFlags("-Dhook.exits=true"))) {
            service.child().send("TERM");
            ChildExit exit = service.awaitExit();
            assertTrue(order(exit.stdout()).containsAll(OF_LIFECYCLE), exit::toString);
            assertEquals(Work.CODE_OF_PROGRAM, exit.code(), exit::toString);
        }
    }

    /** In a hook of the VM an exit waits for itself. */
    @Test
    void aHookThatCallsExitInTheFrameworksOwnHookIsCut() {
        try (RunningService service =
                RunningService.start(service(Way.HOOK_ALONE).vmFlags("-Dhook.exits=true", "-Dhalt.after=1"))) {
            service.child().send("TERM");
            ChildExit exit = service.awaitExit();
            assertTrue(order(exit.stdout()).containsAll(OF_LIFECYCLE), exit::toString);
            assertEquals(143, exit.code(), exit::toString);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RECIPE", "HOOK_LEFT_ON"})
    void anExitOfTheProgramRunsTheHooksOfBothAndKeepsItsCode(Way way) {
        try (RunningService service = start(way)) {
            service.child().writeLine("exit");
            ChildExit exit = service.awaitExit();
            assertEquals(Work.CODE_OF_PROGRAM, exit.code(), exit::toString);
            List<String> expected = new ArrayList<>(withoutSlowRequest());
            expected.addAll(OF_LIFECYCLE);
            List<String> told = new ArrayList<>(order(exit.stdout()));
            // All hooks of the VM run at once: also those of the lifecycle and the framework, if both have one.
            assertTrue(told.remove("hook of the VM"), exit::toString);
            if (way == Way.RECIPE) {
                assertEquals(expected, told, exit::toString);
            } else {
                assertTrue(told.containsAll(expected), exit::toString);
            }
        }
    }

    private List<String> withoutSlowRequest() {
        return endOfFramework().stream()
                .filter(line -> !line.equals(Work.ANSWERED))
                .toList();
    }
}
