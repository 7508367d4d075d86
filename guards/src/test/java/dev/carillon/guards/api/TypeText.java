package dev.carillon.guards.api;

import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A type as a reader writes it, with {@code @Nullable} where it stands. The JDK's own text differs by release. */
final class TypeText {
    private TypeText() {}

    static String of(AnnotatedType type) {
        if (type instanceof AnnotatedArrayType array) {
            return of(array.getAnnotatedGenericComponentType()) + (isNullable(array) ? " @Nullable []" : "[]");
        }
        return (isNullable(type) ? "@Nullable " : "") + bare(type);
    }

    private static String bare(AnnotatedType type) {
        if (type instanceof AnnotatedParameterizedType generic) {
            var raw = (Class<?>) ((ParameterizedType) generic.getType()).getRawType();
            return name(raw) + list(generic.getAnnotatedActualTypeArguments(), "<", ", ", ">");
        }
        if (type instanceof AnnotatedWildcardType wildcard) {
            return wildcard.getAnnotatedLowerBounds().length > 0
                    ? "?" + list(wildcard.getAnnotatedLowerBounds(), " super ", " & ", "")
                    : "?" + bounds(wildcard.getAnnotatedUpperBounds());
        }
        return name(type.getType());
    }

    static String list(AnnotatedType[] types, String before, String between, String after) {
        return types.length == 0
                ? ""
                : Arrays.stream(types).map(TypeText::of).collect(Collectors.joining(between, before, after));
    }

    /** The type parameters of a class or method, with their bounds; empty for none. */
    static String parameters(TypeVariable<?>[] variables) {
        return variables.length == 0
                ? ""
                : Arrays.stream(variables)
                        .map(variable -> variable.getName() + bounds(variable.getAnnotatedBounds()))
                        .collect(Collectors.joining(", ", "<", ">"));
    }

    private static String bounds(AnnotatedType[] bounds) {
        var says = Stream.of(bounds).anyMatch(bound -> isNullable(bound) || bound.getType() != Object.class);
        return says ? list(bounds, " extends ", " & ", "") : "";
    }

    static String name(Type type) {
        return type.getTypeName().replace('$', '.');
    }

    private static boolean isNullable(AnnotatedElement element) {
        return Arrays.stream(element.getAnnotations())
                .anyMatch(annotation ->
                        annotation.annotationType().getSimpleName().equals("Nullable"));
    }
}
