package dev.carillon.lifecycle;

/** Names whose case does not count. Only the letters of ASCII have a case here, whatever the locale says. */
final class AsciiNames {
    private AsciiNames() {}

    static String lower(String name) {
        StringBuilder lower = new StringBuilder(name.length());
        name.chars().forEach(c -> lower.append((char) (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c)));
        return lower.toString();
    }

    /** Whether a name has the form that the pattern shows: a * stands for any letters, a ? for one. In linear space. */
    static boolean matches(String pattern, String name) {
        int at = 0;
        int star = -1;
        int resume = 0;
        int in = 0;
        while (at < name.length()) {
            if (in < pattern.length() && pattern.charAt(in) == '*') {
                star = in++;
                resume = at;
            } else if (in < pattern.length() && (pattern.charAt(in) == '?' || pattern.charAt(in) == name.charAt(at))) {
                in++;
                at++;
            } else if (star >= 0) {
                in = star + 1;
                at = ++resume;
            } else {
                return false;
            }
        }
        while (in < pattern.length() && pattern.charAt(in) == '*') {
            in++;
        }
        return in == pattern.length();
    }
}
