package dev.carillon.futex;

/** Why a wait on a word has ended. None of them says that a condition holds now: look again. */
public enum WaitResult {
    /** The word was woken, or the kernel let go of it without a reason. */
    WOKEN,

    /** The word had another value than the expected one; also when the time was over as well. */
    VALUE_CHANGED,

    /** The deadline has passed, and the word still had the expected value. */
    TIMED_OUT
}
