/** The Java 17 core. */
module dev.carillon.runtime {}
