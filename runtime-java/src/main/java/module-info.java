/** The Java 17 core: system calls, memory, event loop, signals, children, futexes, lifecycle. */
module dev.carillon.runtime {
    requires static org.jspecify;

    exports dev.carillon.doctor;
}
