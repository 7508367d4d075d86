/** Placeholder. */
module dev.carillon.test {
    requires transitive org.junit.jupiter.api;
}
