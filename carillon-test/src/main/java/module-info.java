/** The test kit: leak checks, child processes, deadlines, seeds. */
module dev.carillon.test {
    requires transitive dev.carillon.runtime;
    requires transitive org.junit.jupiter.api;
    requires static transitive org.jspecify;
    requires java.management;

    exports dev.carillon.test;

    provides org.junit.jupiter.api.extension.Extension with
            dev.carillon.test.LeakExtension;
}
