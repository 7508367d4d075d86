/** Placeholder. */
module dev.carillon.shm {
    requires dev.carillon.runtime;
}
