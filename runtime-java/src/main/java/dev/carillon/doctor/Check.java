package dev.carillon.doctor;

import org.jspecify.annotations.Nullable;

/**
 * One line of the doctor's report.
 *
 * @param name what was looked at, as a word that scripts can rely on
 * @param level how it stands
 * @param found what was found
 * @param advice what to do about it; null where there is nothing to do
 */
record Check(
        String name, Level level, String found, @Nullable String advice) {
    /** OK needs no reading; a NOTE works but could bite; a PROBLEM keeps something of ours from working. */
    enum Level {
        OK,
        NOTE,
        PROBLEM
    }

    static Check ok(String name, String found) {
        return new Check(name, Level.OK, found, null);
    }

    static Check note(String name, String found, String advice) {
        return new Check(name, Level.NOTE, found, advice);
    }

    static Check problem(String name, String found, String advice) {
        return new Check(name, Level.PROBLEM, found, advice);
    }
}
