package dev.carillon.shm;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.Method;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.VMDeathEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Counts the steps of another VM, which are the writes to memory and the rings of a bell in the code as it is shipped, and holds the
 * VM right before one of them.
 */
final class StepDebugger {
    /** What the VM is started with. Then it prints the port, and waits. */
    static final String FLAG = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0";

    static final String LISTENING = "Listening for transport dt_socket at address: ";

    private static final Set<String> MEMORY =
            Set.of("dev.carillon.memory.PlainBytes", "dev.carillon.memory.OrderedBytes");
    private static final String BELL = "dev.carillon.shm.doorbell.BellEnd";
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final VirtualMachine vm;
    private final List<String> steps = new ArrayList<>();

    private StepDebugger(VirtualMachine vm) {
        this.vm = vm;
    }

    static StepDebugger attach(String line) throws Exception {
        String port =
                line.substring(line.indexOf(LISTENING) + LISTENING.length()).trim();
        AttachingConnector sockets = Bootstrap.virtualMachineManager().attachingConnectors().stream()
                .filter(each -> each.name().equals("com.sun.jdi.SocketAttach"))
                .findFirst()
                .orElseThrow();
        Map<String, Connector.Argument> arguments = sockets.defaultArguments();
        Objects.requireNonNull(arguments.get("hostname")).setValue("127.0.0.1");
        Objects.requireNonNull(arguments.get("port")).setValue(port);
        return new StepDebugger(sockets.attach(arguments));
    }

    /**
     * Lets the VM run until it is right before that step, counted from 1, or until it ends.
     *
     * @return the name of the step, if it has come so far; the VM stands still then
     */
    Optional<String> runUntil(int step) throws InterruptedException {
        for (String each : MEMORY) {
            watch(each);
        }
        watch(BELL);
        try {
            vm.resume();
            while (true) {
                EventSet events = vm.eventQueue().remove(PATIENCE.toMillis());
                if (events == null) {
                    throw new IllegalStateException("the VM does nothing for " + PATIENCE + "; steps so far: " + steps);
                }
                for (Event each : events) {
                    if (each instanceof VMDeathEvent || each instanceof VMDisconnectEvent) {
                        return Optional.empty();
                    }
                    if (each instanceof ClassPrepareEvent prepared) {
                        breakIn(prepared.referenceType());
                    } else if (each instanceof BreakpointEvent reached) {
                        steps.add(reached.location().declaringType().name() + "."
                                + reached.location().method().name());
                    }
                }
                if (steps.size() >= step) {
                    return Optional.of(steps.get(step - 1));
                }
                events.resume();
            }
        } catch (VMDisconnectedException ended) {
            return Optional.empty();
        }
    }

    int steps() {
        return steps.size();
    }

    private void watch(String className) {
        for (ReferenceType loaded : vm.classesByName(className)) {
            breakIn(loaded);
        }
        ClassPrepareRequest request = vm.eventRequestManager().createClassPrepareRequest();
        request.addClassFilter(className);
        request.setSuspendPolicy(EventRequest.SUSPEND_ALL);
        request.enable();
    }

    private void breakIn(ReferenceType type) {
        for (Method each : type.methods()) {
            if (isStep(each.name()) && !each.isAbstract()) {
                var request = vm.eventRequestManager().createBreakpointRequest(each.location());
                request.setSuspendPolicy(EventRequest.SUSPEND_ALL);
                request.enable();
            }
        }
    }

    private static boolean isStep(String method) {
        return method.startsWith("put")
                || method.startsWith("compareAndSet")
                || method.startsWith("getAnd")
                || method.equals("ring");
    }
}
