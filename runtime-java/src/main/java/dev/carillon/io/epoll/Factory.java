package dev.carillon.io.epoll;

import dev.carillon.loop.access.PolledLoop;
import dev.carillon.loop.access.Poller;
import dev.carillon.loop.access.PollerFactory;
import dev.carillon.sys.call.Sys;

/** The factory of this backend. A loop finds it by its name. */
public final class Factory implements PollerFactory {
    /** The loop calls this. */
    public Factory() {}

    @Override
    public Poller open(PolledLoop loop) {
        return new EpollBackend(loop, Sys.get());
    }
}
