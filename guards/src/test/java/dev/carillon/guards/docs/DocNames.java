package dev.carillon.guards.docs;

import dev.carillon.guards.docs.Spec.Rule;
import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.SourceFile;
import dev.carillon.guards.tree.SourceTree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Looks up the classes and methods that documents name between backquotes. A class of ours, with a member behind a dot,
 * must have that member. Any other name of a class must at least occur in the code, which a name does not that was ours
 * and was changed. A page of the specification whose rules are all planned names what is to come.
 */
final class DocNames {
    private static final Pattern SPAN = Pattern.compile("(?<!`)`([^`]+)`(?!`)");
    /** A capital and a small letter, which leaves out QUIT; what stands behind a slash or a dash is no class. */
    private static final Pattern NAME =
            Pattern.compile("(?<![\\w.$/*-])([A-Z][a-z]\\w*)(?![\\w/*-])(?:[.#]([a-z]\\w+))?");

    private static final Pattern TYPE = Pattern.compile("\\b(?:class|record|interface|enum|object|typealias) +(\\w+)");
    private static final Pattern EXTENSION = Pattern.compile("\\b(?:fun|va[lr]) +(?:<[^(]*> +)?(\\w+)\\.\\w+");
    private static final Pattern WORD = Pattern.compile("\\b[A-Za-z]\\w*");
    private static final Set<String> ENDINGS = Set.of("java", "kt", "md", "txt", "class", "svg");

    private final Map<String, List<SourceFile>> types = new HashMap<>();
    private final Map<String, Set<String>> words = new HashMap<>();
    private final Set<String> everywhere = new HashSet<>();
    private final List<Finding> findings = new ArrayList<>();

    private DocNames() {}

    static List<Finding> check(SourceTree tree) {
        var names = new DocNames();
        tree.stream(file -> file.isCode()
                        || file.path().matches(".*\\.(?:c|h|xml|toml)")
                        || file.name().equals("carillon"))
                .forEach(names::learn);
        var planned = planned(tree);
        planned.forEach(
                file -> WORD.matcher(file.text()).results().forEach(word -> names.everywhere.add(word.group())));
        DocLinks.documents(tree).stream()
                .filter(file -> !file.name().equals("CHANGELOG.md") && !planned.contains(file))
                .forEach(names::read);
        return names.findings;
    }

    /** The pages of the specification that are all still to come. */
    private static Set<SourceFile> planned(SourceTree tree) {
        var pages = Spec.of(tree).rules().values().stream()
                .collect(Collectors.groupingBy(
                        Rule::file, Collectors.reducing(true, Rule::isPlanned, Boolean::logicalAnd)));
        pages.values().removeIf(all -> !all);
        return pages.keySet();
    }

    private void learn(SourceFile file) {
        var code = file.isCode() ? file.code() : file.text();
        var here = words.computeIfAbsent(file.path(), path -> new HashSet<>());
        WORD.matcher(code).results().forEach(word -> here.add(word.group()));
        everywhere.addAll(here);
        if (file.isCode()) {
            file.literals()
                    .forEach(literal ->
                            WORD.matcher(literal.text()).results().forEach(word -> everywhere.add(word.group())));
            TYPE.matcher(code)
                    .results()
                    .forEach(type -> types.computeIfAbsent(type.group(1), name -> new ArrayList<>())
                            .add(file));
            EXTENSION
                    .matcher(code)
                    .results()
                    .forEach(extension -> types.computeIfAbsent(extension.group(1), name -> new ArrayList<>())
                            .add(file));
            var name = file.name().replaceAll("\\..*", "");
            types.computeIfAbsent(name, key -> new ArrayList<>()).add(file);
        }
    }

    private void read(SourceFile file) {
        var prose = outsideFences(file);
        for (int i = 0; i < prose.size(); i++) {
            int line = i + 1;
            SPAN.matcher(prose.get(i))
                    .results()
                    .flatMap(span -> NAME.matcher(span.group(1)).results())
                    .forEach(name -> look(file, line, name.group(1), name.group(2)));
        }
    }

    /** The lines with fenced blocks blanked and inline code kept. */
    static List<String> outsideFences(SourceFile file) {
        var lines = new ArrayList<>(file.lines());
        for (var fence : file.markdown().fences()) {
            for (int i = fence.line() - 1; i < Math.min(fence.end(), lines.size()); i++) {
                lines.set(i, "");
            }
        }
        return lines;
    }

    private void look(SourceFile file, int line, String type, String member) {
        var declared = types.getOrDefault(type, List.of());
        if (declared.isEmpty() && !everywhere.contains(type)) {
            report(file, line, type);
        } else if (member != null
                && !ENDINGS.contains(member)
                && !declared.isEmpty()
                && declared.stream()
                        .noneMatch(source ->
                                words.getOrDefault(source.path(), Set.of()).contains(member))) {
            report(file, line, type + "." + member);
        }
    }

    private void report(SourceFile file, int line, String name) {
        findings.add(Finding.at(
                file,
                line,
                name + " is not in the code",
                "write the name that it has now, or take the backquotes off"));
    }
}
