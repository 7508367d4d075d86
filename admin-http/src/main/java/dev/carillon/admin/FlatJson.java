package dev.carillon.admin;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reads and writes objects of JSON whose values are strings, and nothing else: no depth to get lost in, no number to
 * misread.
 *
 * <p><b>Threading:</b> one thread.
 *
 * <p><b>See:</b> RFC 8259.
 */
final class FlatJson {
    private static final int HEX_DIGITS = 4;
    private static final String ESCAPES = "\"\\/bfnrt";
    private static final String ESCAPED = "\"\\/\b\f\n\r\t";

    private final String text;
    private int at;

    private FlatJson(String text) {
        this.text = text;
    }

    /**
     * The members of an object.
     *
     * @throws MalformedBody if the text is anything but one object of strings, or has a name twice
     */
    static Map<String, String> read(String text) throws MalformedBody {
        return new FlatJson(text).object();
    }

    private Map<String, String> object() throws MalformedBody {
        Map<String, String> members = new LinkedHashMap<>();
        expect('{', "an object");
        if (!follows('}')) {
            do {
                String name = string("a name");
                expect(':', "a colon");
                if (members.putIfAbsent(name, string("a string")) != null) {
                    throw wrong("another name, as this one is there twice");
                }
            } while (follows(','));
            expect('}', "a comma or the end of the object");
        }
        skipBlanks();
        if (at < text.length()) {
            throw wrong("the end");
        }
        return members;
    }

    private String string(String what) throws MalformedBody {
        expect('"', what);
        StringBuilder value = new StringBuilder();
        for (char letter = next(); letter != '"'; letter = next()) {
            if (letter < ' ') {
                throw wrong("an escape in place of a control character");
            }
            value.append(letter == '\\' ? escape() : letter);
        }
        if (value.codePoints()
                .anyMatch(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE)) {
            throw wrong("both halves of each surrogate pair");
        }
        return value.toString();
    }

    private char escape() throws MalformedBody {
        char letter = next();
        int simple = ESCAPES.indexOf(letter);
        if (simple >= 0) {
            return ESCAPED.charAt(simple);
        }
        if (letter != 'u') {
            throw wrong("a known escape");
        }
        int unit = 0;
        for (int digit = 0; digit < HEX_DIGITS; digit++) {
            char hex = next();
            // Character.digit alone would take digits of other scripts.
            int value = hex < 0x80 ? Character.digit(hex, 16) : -1;
            if (value < 0) {
                throw wrong("four hexadecimal digits");
            }
            unit = unit << 4 | value;
        }
        return (char) unit;
    }

    private char next() throws MalformedBody {
        if (at == text.length()) {
            throw wrong("the end of a string");
        }
        return text.charAt(at++);
    }

    private void expect(char wanted, String what) throws MalformedBody {
        if (!follows(wanted)) {
            throw wrong(what);
        }
    }

    private boolean follows(char wanted) {
        skipBlanks();
        if (at < text.length() && text.charAt(at) == wanted) {
            at++;
            return true;
        }
        return false;
    }

    private void skipBlanks() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private MalformedBody wrong(String wanted) {
        return new MalformedBody("expected " + wanted + " at character " + at);
    }

    /** The text of an object. */
    static String write(Map<String, String> members) {
        StringBuilder json = new StringBuilder("{");
        members.forEach((name, value) -> {
            if (json.length() > 1) {
                json.append(',');
            }
            quote(json, name);
            json.append(':');
            quote(json, value);
        });
        return json.append('}').toString();
    }

    private static void quote(StringBuilder json, String value) {
        json.append('"');
        for (int index = 0; index < value.length(); index++) {
            char letter = value.charAt(index);
            if (letter == '"' || letter == '\\') {
                json.append('\\').append(letter);
            } else if (letter < ' ') {
                json.append(String.format("\\u%04x", (int) letter));
            } else {
                json.append(letter);
            }
        }
        json.append('"');
    }
}
