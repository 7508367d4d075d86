/** Messages between processes through shared memory, and the doorbells that announce them. */
module dev.carillon.shm {
    requires transitive dev.carillon.runtime;
    requires static transitive org.jspecify;

    exports dev.carillon.shm;
    exports dev.carillon.shm.doorbell;
}
