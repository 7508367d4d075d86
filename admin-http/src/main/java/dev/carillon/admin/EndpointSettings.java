package dev.carillon.admin;

import dev.carillon.Signal;
import dev.carillon.SignalSet;
import dev.carillon.lifecycle.SignalDispatcher;
import java.util.List;
import java.util.function.Function;

/**
 * What a handler goes by.
 *
 * @param signals which may be sent at all, in the order in which messages name them
 * @param permissions what each identity may send of these
 * @param requests the limit of requests
 * @param failures the limit of failed authentications
 */
record EndpointSettings(
        SignalDispatcher dispatcher,
        List<Authenticator> authenticators,
        List<Signal> signals,
        Function<Identity, SignalSet> permissions,
        RequestLimit requests,
        RequestLimit failures) {}
