/** Placeholder. */
module dev.carillon.admin {
    requires dev.carillon.runtime;
}
