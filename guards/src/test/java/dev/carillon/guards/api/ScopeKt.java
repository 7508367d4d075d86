package dev.carillon.guards.api;

/** Stands for the class that Kotlin makes of the functions in a file {@code Scope.kt}. */
final class ScopeKt {
    private ScopeKt() {}
}
