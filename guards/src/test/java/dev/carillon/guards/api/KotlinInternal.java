package dev.carillon.guards.api;

import dev.carillon.guards.tree.Outline.Block;
import dev.carillon.guards.tree.SourceFile;
import dev.carillon.guards.tree.SourceTree;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Kotlin's {@code internal} is public in a class file. Members carry the module's name behind a {@code $}; types and
 * top-level functions look like any other, so they are looked up in the sources.
 */
final class KotlinInternal {
    private static final Pattern TYPE =
            Pattern.compile("\\binternal\\s+(?:[a-z]+\\s+)*(?:class|interface|object)\\s+(\\w+)");
    private static final Pattern TOP = Pattern.compile(
            "(?m)^(internal\\s+)?(?:[a-z]+\\s+)*?(?:fun|val|var)\\s+" + "(?:<[^>]*>\\s*)?(?:[\\w<>?, *]+\\.)?(\\w+)");

    private final Set<String> types = new HashSet<>();
    private final Set<String> members = new HashSet<>();

    static KotlinInternal of(SourceTree tree, String module) {
        var internal = new KotlinInternal();
        tree.stream(file -> file.isKotlin() && file.isMain() && file.module().equals(module))
                .forEach(internal::read);
        return internal;
    }

    boolean hides(Class<?> type) {
        for (Class<?> outer = type; outer != null; outer = outer.getEnclosingClass()) {
            if (types.contains(outer.getName())) {
                return true;
            }
        }
        return false;
    }

    boolean hides(Class<?> type, String member) {
        return member.indexOf('$') >= 0 || members.contains(type.getName() + "." + member);
    }

    private void read(SourceFile file) {
        file.inCode(TYPE).forEach(match -> types.add(typeName(file, match)));
        var facade = file.packageName() + "." + file.name().replaceAll("\\.kt$", "Kt") + ".";
        var open = new HashSet<String>();
        file.inCode(TOP).filter(match -> match.group(1) == null).forEach(match -> open.add(match.group(2)));
        file.inCode(TOP)
                .filter(match -> match.group(1) != null && !open.contains(match.group(2)))
                .forEach(match -> hide(facade, match.group(2)));
    }

    private void hide(String facade, String name) {
        var property = name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
        members.addAll(Set.of(facade + name, facade + "get" + property, facade + "set" + property));
    }

    private static String typeName(SourceFile file, MatchResult match) {
        var name = match.group(1);
        for (var outer = file.outline().typeAt(match.start()); outer.isPresent(); ) {
            name = outer.get().name() + "$" + name;
            outer = outer.flatMap(Block::enclosingType);
        }
        return file.packageName() + "." + name;
    }
}
