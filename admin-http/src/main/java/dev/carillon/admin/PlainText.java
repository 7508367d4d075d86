package dev.carillon.admin;

/** What strangers write and people read. <b>Threading:</b> any thread. */
final class PlainText {
    /** No stranger writes more than this into one field of a record. */
    static final int LONGEST_FIELD = 256;

    private static final int ELLIPSIS = 0x2026;

    private PlainText() {}

    /** Whether a text is one line that shows what it is: without controls, line separators, and what turns the direction. */
    static boolean isPlain(String text) {
        return text.codePoints().allMatch(PlainText::isPlain);
    }

    private static boolean isPlain(int letter) {
        return switch (Character.getType(letter)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }

    /** The beginning of a text, with a question mark in place of what is not plain. */
    static String of(String text, int longest) {
        StringBuilder plain = new StringBuilder();
        text.codePoints()
                .limit(longest)
                .map(letter -> isPlain(letter) ? letter : '?')
                .forEach(plain::appendCodePoint);
        if (text.codePointCount(0, text.length()) > longest) {
            plain.appendCodePoint(ELLIPSIS);
        }
        return plain.toString();
    }
}
