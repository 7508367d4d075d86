package dev.carillon.frameworks;

/** Who ends the server of the framework. */
enum Way {
    /** The lifecycle; the framework's own shutdown hook is switched off. */
    RECIPE,
    /** The lifecycle, and the framework has its own shutdown hook. */
    HOOK_LEFT_ON,
    /** The framework's own shutdown hook alone. */
    HOOK_ALONE
}
