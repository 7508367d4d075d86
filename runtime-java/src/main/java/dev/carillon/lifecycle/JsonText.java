package dev.carillon.lifecycle;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes maps, lists, strings, numbers, truth values and null as JSON, indented by two blanks. */
final class JsonText {
    private static final String INDENT = "  ";

    private final StringBuilder out = new StringBuilder();

    private JsonText() {}

    static String of(Map<String, @Nullable Object> tree) {
        JsonText text = new JsonText();
        text.value(tree, "\n");
        return text.out.append('\n').toString();
    }

    private void value(@Nullable Object value, String line) {
        if (value instanceof Map<?, ?> map) {
            fields(map, line);
        } else if (value instanceof List<?> list) {
            items(list, line);
        } else if (value instanceof String string) {
            quoted(string);
        } else {
            out.append(value);
        }
    }

    private void fields(Map<?, ?> map, String line) {
        if (map.isEmpty()) {
            out.append("{}");
            return;
        }
        String separator = "{";
        for (Map.Entry<?, ?> field : map.entrySet()) {
            out.append(separator).append(line).append(INDENT);
            quoted(String.valueOf(field.getKey()));
            out.append(": ");
            value(field.getValue(), line + INDENT);
            separator = ",";
        }
        out.append(line).append('}');
    }

    private void items(List<?> list, String line) {
        out.append('[');
        for (Iterator<?> items = list.iterator(); items.hasNext(); ) {
            out.append(line).append(INDENT);
            value(items.next(), line + INDENT);
            out.append(items.hasNext() ? "," : line);
        }
        out.append(']');
    }

    private void quoted(String text) {
        out.append('"');
        text.chars().forEach(c -> {
            if (c == '"' || c == '\\') {
                out.append('\\').append((char) c);
            } else if (c < ' ') {
                out.append(String.format("\\u%04x", c));
            } else {
                out.append((char) c);
            }
        });
        out.append('"');
    }
}
