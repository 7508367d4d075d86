package dev.carillon.guards.api;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** One public type as lines: its head, then its public and protected members, sorted. */
final class TypeDump {
    private static final int WORDS =
            Modifier.PUBLIC | Modifier.PROTECTED | Modifier.STATIC | Modifier.ABSTRACT | Modifier.FINAL;

    private final Class<?> type;
    private final Predicate<String> isInternal;

    /** @param isInternal names of members that are public only in the class file */
    TypeDump(Class<?> type, Predicate<String> isInternal) {
        this.type = type;
        this.isInternal = isInternal;
    }

    List<String> lines() {
        var members = new ArrayList<String>();
        Arrays.stream(type.getDeclaredFields())
                .filter(this::isSeen)
                .map(this::field)
                .forEach(members::add);
        Arrays.stream(type.getDeclaredConstructors())
                .filter(this::isSeen)
                .map(this::maker)
                .forEach(members::add);
        Arrays.stream(type.getDeclaredMethods())
                .filter(this::isSeen)
                .map(this::method)
                .forEach(members::add);
        members.sort(null);
        members.add(0, head());
        return members;
    }

    private String head() {
        var sealed = type.isSealed() ? "sealed " : "";
        return deprecated(type) + modifiers(type.getModifiers() & ~hiddenOfType()) + sealed + kind() + " "
                + TypeText.name(type) + TypeText.parameters(type.getTypeParameters()) + parents();
    }

    /** What the kind of the type says already. */
    private int hiddenOfType() {
        int hidden = type.isInterface() ? Modifier.ABSTRACT | Modifier.STATIC : 0;
        return type.isEnum() || type.isRecord() ? Modifier.FINAL | Modifier.STATIC | Modifier.ABSTRACT : hidden;
    }

    private String kind() {
        return type.isAnnotation()
                ? "@interface"
                : type.isInterface() ? "interface" : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
    }

    private String parents() {
        var above = type.getAnnotatedSuperclass();
        boolean says = above != null && !type.isEnum() && !type.isRecord() && above.getType() != Object.class;
        var interfaces = type.isAnnotation() ? new AnnotatedType[0] : type.getAnnotatedInterfaces();
        return (says ? " extends " + TypeText.of(above) : "")
                + TypeText.list(interfaces, type.isInterface() ? " extends " : " implements ", ", ", "");
    }

    private boolean isSeen(Member member) {
        boolean inherited = Modifier.isProtected(member.getModifiers()) && !Modifier.isFinal(type.getModifiers());
        return (Modifier.isPublic(member.getModifiers()) || inherited)
                && !member.isSynthetic()
                && (member instanceof Constructor || !isInternal.test(member.getName()))
                && !(member instanceof Method method && everyTypeHas(method));
    }

    /** What is declared or not without a difference to users. */
    private boolean everyTypeHas(Method method) {
        var name = method.getName();
        return switch (method.getParameterCount()) {
            case 0 -> name.equals("hashCode") || name.equals("toString") || (type.isEnum() && name.equals("values"));
            case 1 ->
                (name.equals("equals") && method.getParameterTypes()[0] == Object.class)
                        || (type.isEnum() && name.equals("valueOf"));
            default -> false;
        };
    }

    private String field(Field field) {
        return "    " + deprecated(field) + modifiers(field.getModifiers()) + TypeText.of(field.getAnnotatedType())
                + " " + field.getName();
    }

    private String maker(Constructor<?> maker) {
        return "    " + deprecated(maker) + modifiers(maker.getModifiers()) + generics(maker) + type.getSimpleName()
                + arguments(maker);
    }

    private String method(Method method) {
        int hidden = type.isInterface() ? Modifier.ABSTRACT : 0;
        return "    " + deprecated(method) + modifiers(method.getModifiers() & ~hidden)
                + (method.isDefault() ? "default " : "") + generics(method)
                + TypeText.of(method.getAnnotatedReturnType()) + " " + method.getName() + arguments(method);
    }

    private static String generics(Executable executable) {
        var text = TypeText.parameters(executable.getTypeParameters());
        return text.isEmpty() ? "" : text + " ";
    }

    private static String arguments(Executable executable) {
        var types = Arrays.stream(executable.getAnnotatedParameterTypes())
                .map(TypeText::of)
                .toList();
        var text = types.stream().collect(Collectors.joining(", ", "(", ")"));
        return (executable.isVarArgs() ? text.replaceAll("\\[]\\)$", "...)") : text)
                + TypeText.list(executable.getAnnotatedExceptionTypes(), " throws ", ", ", "");
    }

    private static String modifiers(int modifiers) {
        var words = Modifier.toString(modifiers & WORDS);
        return words.isEmpty() ? "" : words + " ";
    }

    private static String deprecated(AnnotatedElement element) {
        return element.isAnnotationPresent(Deprecated.class) ? "@Deprecated " : "";
    }
}
