package dev.carillon.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SeedsTest {
    private static final Pattern NOTE = Pattern.compile("Seed of .*: (-?\\d+); repeat it with -Dcarillon.seed=\\1");
    private static final List<Long> SEEN = new ArrayList<>();

    private final String givenOutside = System.getProperty(Seeds.PROPERTY, "");

    @AfterEach
    void restore() {
        System.setProperty(Seeds.PROPERTY, givenOutside);
        SEEN.clear();
    }

    @Test
    void aFailureTellsTheSeedAndTheSeedRepeatsIt() {
        System.setProperty(Seeds.PROPERTY, "");
        Fails first = failing();
        System.setProperty(Seeds.PROPERTY, first.seed);
        Fails second = failing();
        assertEquals(first, second);
        System.setProperty(Seeds.PROPERTY, "");
        assertNotEquals(first, failing(), "another run has another seed");
    }

    @Test
    void severalParametersHaveNumbersOfTheirOwn(@Seeded long one, @Seeded long two, @Seeded Random three) {
        assertNotEquals(one, two);
        assertNotEquals(new Random(one).nextLong(), three.nextLong());
    }

    private static Fails failing() {
        SEEN.clear();
        PrintStream stderr = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        Fixtures run;
        try {
            run = Fixtures.run(Map.of(), DrawsAndFails.class);
        } finally {
            System.setErr(stderr);
        }
        assertEquals(1, run.failures.size());
        Matcher attached = NOTE.matcher(run.failures.get(0).getSuppressed()[0].toString());
        assertTrue(attached.find());
        Matcher shown = NOTE.matcher(printed.toString(StandardCharsets.UTF_8));
        assertTrue(shown.find());
        assertEquals(attached.group(1), shown.group(1));
        return new Fails(shown.group(1), List.copyOf(SEEN));
    }

    private record Fails(String seed, List<Long> numbers) {}

    static final class DrawsAndFails {
        @Test
        void draws(@Seeded SplittableRandom random, @Seeded long number) {
            SEEN.addAll(List.of(random.nextLong(), number));
            fail("on purpose");
        }
    }
}
