package dev.carillon.guards.code;

import dev.carillon.guards.code.Dependencies.Use;
import dev.carillon.guards.code.Rooms.Room;
import dev.carillon.guards.tree.ClassRoots;
import dev.carillon.guards.tree.Descriptors;
import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.Lexed.Literal;
import dev.carillon.guards.tree.Modules;
import dev.carillon.guards.tree.SourceFile;
import dev.carillon.guards.tree.SourceTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Holds compiled classes, module descriptors and strings against the table of rooms. */
final class Architecture {
    private static final String TABLE = "the table in guards' Rooms.java";
    /** What is reached by reflection leaves no trace in a class file but the name. */
    private static final Set<String> BY_NAME = Set.of("java.lang.foreign", "com.sun.jna", "sun.misc");

    private static final Pattern OURS = Pattern.compile("dev\\.carillon(?:\\.[a-z]\\w*)*\\.[A-Z][\\w$]*");

    private final SourceTree tree;
    private final Map<String, List<Path>> classes;
    private final Set<String> types = new HashSet<>();
    private final Set<Finding> findings = new LinkedHashSet<>();

    private Architecture(SourceTree tree, Map<String, List<Path>> classes) {
        this.tree = tree;
        this.classes = classes;
    }

    static List<Finding> check(SourceTree tree, Map<String, List<Path>> classes) {
        var check = new Architecture(tree, classes);
        classes.forEach(check::module);
        Modules.of(tree).forEach(check::compiled);
        tree.stream(SourceFile::isMain).forEach(check::strings);
        tree.stream(file -> file.isMain() || file.isTest()).forEach(check::folder);
        return new ArrayList<>(check.findings);
    }

    private void module(String module, List<Path> folders) {
        for (var folder : folders) {
            ClassRoots.classFiles(List.of(folder)).stream()
                    .filter(file -> !file.endsWith("module-info.class"))
                    .map(file -> folder.relativize(file).toString())
                    .map(file ->
                            file.substring(0, file.length() - ".class".length()).replace('/', '.'))
                    .forEach(type -> home(module, type));
        }
        Dependencies.of(folders).stream().filter(Use::leavesItsPackage).forEach(use -> use(module, use));
        Exports.check(tree, module, folders).forEach(findings::add);
    }

    /** Without classes there is nothing to find, which must not look like good news. */
    private void compiled(String module) {
        if (!classes.containsKey(module)) {
            tree.stream(file -> file.isMain()
                            && file.module().equals(module)
                            && !file.packageName().isEmpty())
                    .findFirst()
                    .ifPresent(file -> findings.add(Finding.at(
                            file, 1, "no compiled classes of " + module, "build it first:  mvn test -pl guards -am")));
        }
    }

    private void home(String module, String type) {
        types.add(type);
        var name = Use.packageOf(type);
        var room = Rooms.of(name);
        if (room.isEmpty()) {
            add(
                    module,
                    type,
                    "package " + name,
                    "no room is called " + name,
                    "add a row to " + TABLE
                            + " that says what the package may call, or move the class to a room that exists");
        } else if (!room.get().module().equals(module)) {
            add(
                    module,
                    type,
                    "package " + name,
                    name + " has classes in " + module + " but lives in "
                            + room.get().module(),
                    "move the class to " + room.get().module());
        }
    }

    private void use(String module, Use use) {
        Rooms.of(Use.packageOf(use.from())).ifPresent(from -> {
            var target = Use.packageOf(use.to());
            if (Use.isOurs(use.to())) {
                Rooms.of(target).ifPresent(to -> call(module, use, from, to));
            } else if (!from.mayTouch(use.to())) {
                add(
                        module,
                        use.from(),
                        use.to(),
                        shortName(use.from()) + " uses " + use.to() + ", which " + from.name() + " may not touch",
                        "reach it through the room that may, or change the row in " + TABLE + " if the rule is wrong");
            }
        });
    }

    private void call(String module, Use use, Room from, Room to) {
        var who = shortName(use.from()) + " calls " + use.to() + ", but ";
        if (!from.mayCall(to)) {
            add(
                    module,
                    use.from(),
                    use.to(),
                    who + from.name() + " may not call " + to.name(),
                    "call one of " + from.calls().stream().sorted().toList()
                            + ", pass the thing in from above, or change the row in " + TABLE
                            + " if the rule is wrong");
        } else if (hidden(module, use, from, to)) {
            add(
                    module,
                    use.from(),
                    use.to(),
                    who + Use.packageOf(use.to()) + " is not exported",
                    "use what the module exports, or export the package and review its API dump");
        }
    }

    /** Kotlin modules are compiled on the class path, where nothing else keeps them out of a closed package. */
    private boolean hidden(String module, Use use, Room from, Room to) {
        return !to.module().equals(module)
                && !from.foreign().contains("*")
                && Descriptors.in(classes.getOrDefault(module, List.of())).isEmpty()
                && Descriptors.in(classes.getOrDefault(to.module(), List.of()))
                        .filter(seen -> !Descriptors.exports(seen, Use.packageOf(use.to())))
                        .isPresent();
    }

    /** Kotlin would compile a file that lies in the folder of another package. */
    private void folder(SourceFile file) {
        var name = file.packageName();
        var folder = "/" + name.replace('.', '/') + "/" + file.name();
        if (!name.isEmpty() && !file.path().endsWith(folder)) {
            findings.add(Finding.at(
                    file,
                    file.lineOf("package " + name),
                    "it lies in the folder of another package than " + name,
                    "move the file, or change its package"));
        }
    }

    private void strings(SourceFile file) {
        Rooms.of(file.packageName())
                .ifPresent(room -> file.literals().stream()
                        .filter(literal -> literal.text().matches("[\\w.$]+"))
                        .forEach(literal -> {
                            if (Rooms.covers(BY_NAME, literal.text()) && !room.mayTouch(literal.text())) {
                                string(
                                        file,
                                        literal,
                                        "names what " + room.name() + " may not touch",
                                        "leave reflection on it to the room that may, and ask that room");
                            } else if (OURS.matcher(literal.text()).matches()) {
                                ourName(file, room, literal);
                            }
                        }));
    }

    /**
     * A class of ours that is looked up by its name: it must be there, and a call to it must be allowed. Events of the
     * flight recorder have names of their own, and a log may have the name of any class.
     */
    private void ourName(SourceFile file, Room room, Literal literal) {
        var type = literal.text();
        var before = file.text().substring(0, literal.offset());
        if (before.endsWith("@Name(\"") || !classes.containsKey(file.module())) {
            return;
        }
        if (!types.contains(type)) {
            string(file, literal, "names no class of ours", "write the name that the class has now");
        } else if (Rooms.of(Use.packageOf(type))
                .filter(to -> !before.endsWith("Log.of(\"") && !room.mayCall(to))
                .isPresent()) {
            string(
                    file,
                    literal,
                    "names what " + room.name() + " may not call",
                    "pass the thing in from above, or change the row in " + TABLE + " if the rule is wrong");
        }
    }

    private void string(SourceFile file, Literal literal, String problem, String remedy) {
        findings.add(Finding.at(
                file, file.lineAt(literal.offset()), "the string \"" + literal.text() + "\" " + problem, remedy));
    }

    private void add(String module, String type, String mention, String problem, String remedy) {
        findings.add(sourceOf(module, type)
                .map(file -> Finding.at(file, lineOf(file, mention), problem, remedy))
                .orElseGet(() -> new Finding(module + ": " + type, problem, remedy)));
    }

    private static int lineOf(SourceFile file, String mention) {
        int full = file.lineOf(mention);
        return full > 1 ? full : file.lineOf(shortName(mention).replaceAll("\\$.*", ""));
    }

    private static String shortName(String type) {
        return type.substring(type.lastIndexOf('.') + 1);
    }

    private Optional<SourceFile> sourceOf(String module, String type) {
        var name = shortName(type).replaceAll("\\$.*", "");
        var names = List.of(name + ".java", name + ".kt", name.replaceAll("Kt$", "") + ".kt");
        return tree.stream(file -> file.isMain() && file.module().equals(module) && names.contains(file.name()))
                .filter(file -> file.packageName().equals(Use.packageOf(type)))
                .findFirst();
    }
}
