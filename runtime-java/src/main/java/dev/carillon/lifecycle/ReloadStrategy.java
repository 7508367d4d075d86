package dev.carillon.lifecycle;

/**
 * How a new configuration gets into a program.
 *
 * @param strategy as in {@code restart_based}
 * @param validationRequired whether the configuration is checked before the program ends for it
 */
public record ReloadStrategy(String strategy, boolean validationRequired) {}
