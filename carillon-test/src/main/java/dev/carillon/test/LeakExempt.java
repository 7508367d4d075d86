package dev.carillon.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Lets a test class leave something behind; put it on the outermost class, the one that is measured. */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface LeakExempt {
    /** What may stay. */
    LeakKind[] kinds();

    /** Why it cannot be cleaned up, for the next reader; must not be blank. */
    String why();
}
