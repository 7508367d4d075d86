package dev.carillon.io.epoll;

import dev.carillon.loop.access.PolledLoop;
import dev.carillon.loop.access.Poller;
import dev.carillon.loop.access.PollerFactory;
import dev.carillon.sys.call.Sys;

/** What a loop knows of this room, by its name. */
public final class Factory implements PollerFactory {
    /** For the loop. */
    public Factory() {}

    @Override
    public Poller open(PolledLoop loop) {
        return new EpollBackend(loop, Sys.get());
    }
}
