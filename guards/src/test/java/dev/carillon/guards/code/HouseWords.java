package dev.carillon.guards.code;

import dev.carillon.guards.tree.Exceptions;
import dev.carillon.guards.tree.Finding;
import dev.carillon.guards.tree.SourceFile;
import dev.carillon.guards.tree.SourceTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Small rules for all text files: words that stay out, lengths, blanks. The words are put together from pieces, so that
 * this file keeps its own rules.
 */
final class HouseWords {
    static final int LONGEST = 400;

    private static final Pattern LATER = Pattern.compile("\\b(?:TO" + "DO|FIX" + "ME|XX" + "X)\\b");
    private static final Pattern MACHINE = Pattern.compile("(?<![\\w.~$)}-])/(?:work|root)/");
    /** Hosts that serve artifacts. Builds name repositories by Gradle's and Maven's own words. */
    private static final Pattern HOST =
            Pattern.compile("repo1?\\.maven|maven\\.google|oss\\.sonatype|central\\.sonatype"
                    + "|s01\\.oss|jcente[r]|plugins\\.gradle\\.org|services\\.gradle\\.org|jitpack\\.io|maven\\.pkg|registry\\.npmjs"
                    + "|pypi\\.org|search\\.maven");

    private static final Pattern EMOJI = Pattern.compile("[\\x{1F000}-\\x{1FAFF}\\x{FE0F}]");
    private static final Pattern SLEEP = Pattern.compile(
            "\\bThread\\s*(?:\\.|::)\\s*sleep\\b|\\b(?:SECONDS|MILLISECONDS|MICROSECONDS|NANOSECONDS)\\s*\\.\\s*sleep\\b");
    private static final Pattern DISABLED = Pattern.compile("@(?:Disabled|Ignore)\\b");
    private static final String SOURCES = ".*\\.(?:java|kts?|c|h|xml|toml|properties|sh|ya?ml)|carillon|\\.ci/run";
    private static final String WRAPPER = "gradle/wrapper/gradle-wrapper.properties";

    private final List<Finding> findings = new ArrayList<>();
    private final List<String> tooLong = new ArrayList<>();
    private final Exceptions exceptions;

    private HouseWords(SourceTree tree) {
        this.exceptions = Exceptions.read(tree);
    }

    static List<Finding> check(SourceTree tree) {
        var words = new HouseWords(tree);
        tree.stream(file -> file.isText() && !file.name().startsWith("gradlew")).forEach(words::read);
        tree.lostSources()
                .forEach(folder -> words.findings.add(new Finding(
                        folder,
                        "git ignores this folder, so a clone lacks these sources",
                        "give the package another name")));
        words.findings.addAll(words.exceptions.stale("length", words.tooLong));
        return words.findings;
    }

    private void read(SourceFile file) {
        boolean isSource = file.path().matches(SOURCES);
        var lines = file.lines();
        for (int i = 0; i < lines.size(); i++) {
            words(file, i + 1, lines.get(i));
            if (isSource) {
                blanks(file, i + 1, lines.get(i));
            }
        }
        if (file.text().indexOf('\r') >= 0) {
            add(file, file.lineOf("\r"), "a line ends in a carriage return", "end lines with a line feed alone");
        }
        if (file.isCode() || file.path().matches(".*\\.[ch]")) {
            length(file, lines.size());
        }
        if (file.isTest() || file.path().matches("carillon-test/src/main/.*\\.(?:java|kt)")) {
            tests(file);
        }
    }

    private void words(SourceFile file, int line, String text) {
        found(LATER, text)
                .ifPresent(word -> add(
                        file,
                        line,
                        word + " puts something off",
                        "do it now, or leave the word out and open an issue"));
        found(MACHINE, text)
                .ifPresent(path -> add(
                        file,
                        line,
                        path + " is a path of somebody's machine",
                        "write it relative to the root, or take it from a property"));
        found(EMOJI, text).ifPresent(sign -> add(file, line, "a pictogram: " + sign, "say it in words"));
        if (!file.path().equals(WRAPPER)) {
            found(HOST, text)
                    .ifPresent(host -> add(
                            file,
                            line,
                            host + " names a host that serves artifacts",
                            "name the repository by the build tool's own word, such as mavenCentral()"));
        }
    }

    private void blanks(SourceFile file, int line, String text) {
        if (text.indexOf('\t') >= 0) {
            add(file, line, "a tab", "indent with blanks");
        }
        if (!text.equals(text.stripTrailing())) {
            add(file, line, "blanks at the end of the line", "run  mvn spotless:apply , or delete them");
        }
    }

    private void length(SourceFile file, int lines) {
        int limit = exceptions.number("length", file.path(), LONGEST);
        if (lines > LONGEST) {
            tooLong.add(file.path());
        }
        if (lines > limit) {
            add(
                    file,
                    limit + 1,
                    lines + " lines, " + limit + " are allowed",
                    "split it by subject, or put this line into " + Exceptions.PATH + " with your reason:  length "
                            + lines + " " + file.path() + ": WHY");
        }
    }

    private void tests(SourceFile file) {
        file.inCode(SLEEP)
                .forEach(match -> add(
                        file,
                        file.lineAt(match.start()),
                        "a test sleeps",
                        "wait for a fact with a deadline: a latch, a future, or polling with LockSupport.parkNanos"));
        file.inCode(DISABLED)
                .forEach(match -> add(
                        file,
                        file.lineAt(match.start()),
                        match.group() + " hides a test",
                        "repair it or delete it; where a machine lacks something, use an assumption that says what"));
    }

    private static Optional<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().findFirst().map(match -> match.group());
    }

    private void add(SourceFile file, int line, String problem, String remedy) {
        findings.add(Finding.at(file, line, problem, remedy));
    }
}
