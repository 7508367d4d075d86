package dev.carillon.shm;

import static dev.carillon.shm.LinkPair.LIMIT;
import static java.util.Comparator.comparing;
import static java.util.stream.Collectors.toCollection;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.carillon.loop.EventLoop;
import dev.carillon.process.Spawn;
import dev.carillon.test.Deadline;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Calls each public method of something that is over, and knows what each of them does then. */
final class ClosedCalls {
    /** What waits would be seen: the watchdog comes before that. */
    private static final Duration LONG = LIMIT.multipliedBy(20);

    private static final String ANSWERS = "";
    private static final String CLOSED = "ClosedException";

    /** What changes something comes last. */
    private static final Set<String> ENDING = Set.of("close", "reset", "release", "abort");

    /** Something that would do for a link that is open. */
    private static final Map<Class<?>, Object> ARGUMENTS = Map.ofEntries(
            Map.entry(int.class, 1),
            Map.entry(long.class, 1L),
            Map.entry(byte.class, (byte) 1),
            Map.entry(boolean.class, false),
            Map.entry(byte[].class, new byte[8]),
            Map.entry(ByteBuffer.class, ByteBuffer.allocate(8)),
            Map.entry(Duration.class, LONG),
            Map.entry(Frame.class, LinkPair.text("too late")),
            Map.entry(FrameHandler.class, (FrameHandler) frame -> {}),
            Map.entry(BatchWriter.class, (BatchWriter) (i, frame) -> frame.begin(1, 0, i, 8)),
            Map.entry(LinkWaiter.class, new NoWaiter()),
            Map.entry(LinkConfig.class, LinkConfig.defaults()),
            Map.entry(EventLoop.class, EventLoop.shared()),
            Map.entry(Spawn.Builder.class, Spawn.command("true")));

    private final Object over;
    private final Map<String, String> expected = new TreeMap<>();

    private ClosedCalls(Object over) {
        this.over = over;
    }

    static ClosedCalls of(Object over) {
        return new ClosedCalls(over);
    }

    /** They answer as before, or with what means "over". */
    ClosedCalls answer(String... names) {
        return refuse(ANSWERS, List.of(names));
    }

    /** They refuse, and say that the link was closed. */
    ClosedCalls refuse(String... names) {
        return refuse(CLOSED, List.of(names));
    }

    /** They refuse with another text. */
    ClosedCalls refuse(String text, List<String> names) {
        names.forEach(each -> expected.put(each, text));
        return this;
    }

    /** Methods of which nothing was said do either, and do not wait. */
    void check() throws Exception {
        List<Method> methods = Arrays.stream(over.getClass().getDeclaredMethods())
                .filter(each -> Modifier.isPublic(each.getModifiers()) && !Modifier.isStatic(each.getModifiers()))
                .filter(each -> !each.isSynthetic())
                .sorted(comparing((Method each) -> ENDING.contains(each.getName()))
                        .thenComparing(Method::toString))
                .toList();
        TreeSet<String> names = methods.stream().map(Method::getName).collect(toCollection(TreeSet::new));
        assertTrue(names.containsAll(expected.keySet()), () -> expected.keySet() + " are not all of " + names);
        for (Method method : methods) {
            if (ARGUMENTS.keySet().containsAll(List.of(method.getParameterTypes()))) {
                check(method, expected.get(method.getName()));
            }
        }
    }

    private void check(Method method, @Nullable String text) throws Exception {
        Object[] arguments =
                Arrays.stream(method.getParameterTypes()).map(ARGUMENTS::get).toArray();
        String told = Deadline.call(LIMIT, () -> told(method, arguments));
        System.out.println(over.getClass().getSimpleName() + "." + method.getName() + ": " + told);
        String what = method + ": " + told;
        boolean refuses = told.startsWith("!");
        if (text != null) {
            assertEquals(!text.isEmpty(), refuses, what);
            assertTrue(told.contains(text), what);
        }
        // Of a region, and where in it, a user of links knows nothing.
        assertTrue(!told.contains("offset"), what);
    }

    private String told(Method method, Object[] arguments) throws IllegalAccessException {
        try {
            Object result = method.invoke(over, arguments);
            Object given = result instanceof CompletableFuture<?> stage ? stage.join() : result;
            String told = String.valueOf(given);
            if (given instanceof SlotWriter claim) {
                // One claim at a time is open on a link, and another call claims, too.
                claim.close();
            }
            return told;
        } catch (InvocationTargetException | CompletionException refused) {
            return "! " + refused.getCause();
        }
    }

    private static final class NoWaiter implements LinkWaiter {
        @Override
        public void changed() {}

        @Override
        public void refused(RuntimeException why) {}
    }
}
