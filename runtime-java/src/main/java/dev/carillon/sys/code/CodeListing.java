package dev.carillon.sys.code;

import java.util.HexFormat;

/**
 * Machine code as its source shows it: in each line the bytes, a bar, and the assembly (AT&amp;T syntax on x86-64), so that a test can
 * compare what an assembler makes of the one with the other.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param text the lines
 */
public record CodeListing(String text) {
    /** The code, to be put at the beginning of a page. */
    public byte[] bytes() {
        return HexFormat.of().parseHex(hex(text));
    }

    /** Where a label is, from the beginning. */
    public int offsetOf(String label) {
        int at = text.indexOf("| " + label + ":");
        if (at < 0) {
            throw new IllegalArgumentException("label=" + label + ": not in the listing");
        }
        return hex(text.substring(0, text.lastIndexOf('\n', at) + 1)).length() / 2;
    }

    /** The right column. */
    public String assembly() {
        return column(text, 1, "\n");
    }

    private static String hex(String listing) {
        return column(listing, 0, "");
    }

    private static String column(String listing, int index, String separator) {
        StringBuilder column = new StringBuilder();
        for (String line : listing.split("\n", -1)) {
            if (!line.isEmpty()) {
                column.append(line.split("\\|", -1)[index].strip()).append(separator);
            }
        }
        return column.toString();
    }
}
