package dev.carillon.guards.tree;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the guards want to know of a Markdown file.
 *
 * @param prose the lines with fenced blocks and inline code blanked
 * @param fences the fenced blocks
 * @param anchors every anchor that a link may name
 */
public record Markdown(List<String> prose, List<Fence> fences, Set<String> anchors) {
    private static final Pattern OPENING = Pattern.compile("^(\\s*)(```+|~~~+)\\s*([\\w+-]*).*$");
    private static final Pattern HEADING = Pattern.compile("^#{1,6}\\s+(.*?)\\s*#*$");
    private static final Pattern NAMED = Pattern.compile("<a\\s+(?:id|name)=\"([^\"]+)\"");

    /**
     * A fenced block.
     *
     * @param line the line of the opening fence, from 1
     * @param end the line of the closing fence
     * @param body the lines between
     */
    public record Fence(String language, int line, int end, List<String> body) {}

    static Markdown of(String text) {
        var lines = text.lines().toList();
        var prose = new ArrayList<String>();
        var fences = new ArrayList<Fence>();
        var slugs = new HashMap<String, Integer>();
        var anchors = new HashSet<String>();
        for (int i = 0; i < lines.size(); i++) {
            var opening = OPENING.matcher(lines.get(i));
            if (opening.matches()) {
                int end = closing(lines, i, opening);
                fences.add(new Fence(opening.group(3), i + 1, end + 1, List.copyOf(lines.subList(i + 1, end))));
                for (; i < end; i++) {
                    prose.add("");
                }
                prose.add("");
                continue;
            }
            anchor(lines.get(i), slugs, anchors);
            prose.add(lines.get(i).replaceAll("(`+)[^`]+\\1", "``"));
        }
        return new Markdown(List.copyOf(prose), List.copyOf(fences), Set.copyOf(anchors));
    }

    private static int closing(List<String> lines, int opening, Matcher fence) {
        for (int i = opening + 1; i < lines.size(); i++) {
            if (lines.get(i).strip().equals(fence.group(2))) {
                return i;
            }
        }
        return lines.size() - 1;
    }

    private static void anchor(String line, Map<String, Integer> slugs, Set<String> anchors) {
        var heading = HEADING.matcher(line);
        if (heading.matches()) {
            var slug = slug(heading.group(1));
            int before = slugs.merge(slug, 1, Integer::sum) - 1;
            anchors.add(before == 0 ? slug : slug + "-" + before);
        }
        NAMED.matcher(line).results().forEach(named -> anchors.add(named.group(1)));
    }

    /** The anchor that the usual renderers give a heading: lower case, blanks as hyphens, no other punctuation. */
    static String slug(String heading) {
        var text = heading.replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1").replaceAll("<[^>]+>", "");
        return text.toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
    }
}
