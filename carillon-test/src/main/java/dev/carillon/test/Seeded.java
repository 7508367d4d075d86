package dev.carillon.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A parameter of a test that brings random numbers: a {@link java.util.SplittableRandom}, a {@link java.util.Random} or
 * a {@code long} to seed something else with.
 *
 * <p>Each run has a new seed. When the test fails the seed is printed and attached to the failure; the system property
 * {@value Seeds#PROPERTY} repeats it.
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(Seeds.class)
public @interface Seeded {}
