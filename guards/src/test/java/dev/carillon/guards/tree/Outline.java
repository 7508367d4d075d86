package dev.carillon.guards.tree;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The types and methods of a source, found by its braces: what stands between the last statement's end and an opening
 * brace names the block. Good enough for code that compiles and is formatted; it is no parser.
 */
public record Outline(List<Block> blocks) {
    private static final Pattern TYPE = Pattern.compile("(?<![:.\\w])(?:class|interface|enum|record|object)\\s+(\\w+)");
    private static final Pattern FUN =
            Pattern.compile("(?<![:.\\w])fun\\s+(?:<[^(]*>\\s*)?(?:[\\w<>?, *]+\\.)?(\\w+)\\s*\\(");
    private static final Pattern METHOD = Pattern.compile("(\\w+)\\s*\\([^;{}]*\\)\\s*(?:throws\\s+[\\w.,\\s]+)?$");
    private static final Set<String> NOT_METHODS =
            Set.of("if", "for", "while", "switch", "catch", "synchronized", "try", "when", "super", "this");

    /** What a block is. */
    public enum Kind {
        TYPE,
        METHOD,
        OTHER
    }

    /**
     * A pair of braces.
     *
     * @param header what stands before the opening brace: annotations, modifiers, name
     * @param end the offset of the closing brace
     */
    public record Block(
            Kind kind,
            String name,
            String header,
            int start,
            int end,
            @Nullable Block parent) {
        boolean holds(int offset) {
            return start <= offset && offset <= end;
        }

        public boolean isNested() {
            return enclosingType().isPresent();
        }

        public Optional<Block> enclosingType() {
            for (Block block = parent; block != null; block = block.parent) {
                if (block.kind == Kind.TYPE) {
                    return Optional.of(block);
                }
            }
            return Optional.empty();
        }
    }

    static Outline of(String code, boolean kotlin) {
        var done = new ArrayList<Block>();
        Deque<Block> open = new ArrayDeque<>();
        int statement = 0;
        for (int i = 0; i < code.length(); i++) {
            char c = code.charAt(i);
            if (c == '{') {
                open.push(block(code.substring(statement, i), i, kotlin, open.peek()));
            } else if (c == '}' && !open.isEmpty()) {
                done.add(closed(open.pop(), i));
            }
            if (c == '{' || c == '}' || c == ';') {
                statement = i + 1;
            }
        }
        open.forEach(block -> done.add(closed(block, code.length())));
        return new Outline(List.copyOf(done));
    }

    private static Block closed(Block block, int end) {
        return new Block(block.kind, block.name, block.header, block.start, end, block.parent);
    }

    private static Block block(String header, int start, boolean kotlin, @Nullable Block parent) {
        int type = lastStart(TYPE, header);
        int fun = kotlin ? lastStart(FUN, header) : -1;
        if (fun > type) {
            return new Block(Kind.METHOD, lastName(FUN, header), header, start, start, parent);
        }
        if (type >= 0) {
            return new Block(Kind.TYPE, lastName(TYPE, header), header, start, start, parent);
        }
        var method = METHOD.matcher(header.stripTrailing());
        boolean isMethod = !kotlin
                && method.find()
                && !NOT_METHODS.contains(method.group(1))
                && !header.substring(0, method.start()).stripTrailing().endsWith("new")
                && !header.contains("->");
        return isMethod
                ? new Block(Kind.METHOD, method.group(1), header, start, start, parent)
                : new Block(Kind.OTHER, "", header, start, start, parent);
    }

    private static int lastStart(Pattern pattern, String header) {
        return pattern.matcher(header).results().mapToInt(m -> m.start()).max().orElse(-1);
    }

    private static String lastName(Pattern pattern, String header) {
        return pattern.matcher(header)
                .results()
                .reduce((a, b) -> b)
                .orElseThrow()
                .group(1);
    }

    /** The innermost type around an offset. */
    public Optional<Block> typeAt(int offset) {
        return innermost(Kind.TYPE, offset);
    }

    /** The innermost method around an offset. */
    public Optional<Block> methodAt(int offset) {
        return innermost(Kind.METHOD, offset);
    }

    public List<Block> types() {
        return blocks.stream().filter(block -> block.kind == Kind.TYPE).toList();
    }

    private Optional<Block> innermost(Kind kind, int offset) {
        return blocks.stream()
                .filter(block -> block.kind == kind && block.holds(offset))
                .reduce((a, b) -> a.start > b.start ? a : b);
    }
}
