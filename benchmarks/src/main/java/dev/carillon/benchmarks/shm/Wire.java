package dev.carillon.benchmarks.shm;

/** A way for messages from one process to another: the place where a new one plugs in. */
interface Wire {
    /** Opens the end that sends. */
    Outlet outlet(Traffic traffic) throws Exception;

    /** Opens the end that receives, in another process; {@code address} is what the outlet says. */
    Inlet inlet(Traffic traffic, String address) throws Exception;
}
