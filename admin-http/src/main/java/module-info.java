/** Signals over HTTP: an endpoint for authenticated requests, and its handler for servers that are there already. */
module dev.carillon.admin {
    requires org.slf4j;
    requires transitive dev.carillon.runtime;
    requires transitive jdk.httpserver;
    requires static transitive org.jspecify;

    exports dev.carillon.admin;
}
