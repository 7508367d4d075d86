/** The Java 17 core: system calls, memory, event loop, signals, children, futexes, lifecycle. */
module dev.carillon.runtime {
    requires com.sun.jna;
    requires jdk.jfr;
    requires jdk.unsupported;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports dev.carillon;
    exports dev.carillon.doctor;
    exports dev.carillon.futex;
    exports dev.carillon.io;
    exports dev.carillon.lifecycle;
    exports dev.carillon.loop;
    exports dev.carillon.memory;
    exports dev.carillon.process;
    exports dev.carillon.signal;
    exports dev.carillon.sys to
            dev.carillon.shm;
    exports dev.carillon.sys.call to
            dev.carillon.shm;
    exports dev.carillon.sys.layout to
            dev.carillon.shm;
    exports dev.carillon.timer;
}
