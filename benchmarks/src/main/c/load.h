/*
 * The load that every echo server gets: connections that each send 64 bytes and wait for them, some that only lie there.
 * It runs in a process of its own, on the second side's core.
 */
#ifndef LOAD_H
#define LOAD_H

#include "yardstick.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { MESSAGE = 64, MOST_EVENTS = 256, PATIENCE_MILLIS = 20000, SPARE_DESCRIPTORS = 64 };

struct load {
    int *fds; /* the first ones work, the rest is idle */
    int active;
    int total;
    int epoll;
};

static struct load load = {.epoll = -1};

/* With a zero in front, a name is an abstract one: no file stays behind. */
static socklen_t unix_name(struct sockaddr_un *address, const char *name, size_t zeros) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    snprintf(address->sun_path + zeros, sizeof address->sun_path - zeros, "%s", name);
    return (socklen_t) (offsetof(struct sockaddr_un, sun_path) + zeros + strlen(name));
}

static socklen_t tcp_address(struct sockaddr_in *address, int port) {
    memset(address, 0, sizeof *address);
    address->sin_family = AF_INET;
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address->sin_port = htons((uint16_t) port);
    return sizeof *address;
}

/* "tcp:PORT", "unix:NAME" or "file:PATH" */
static int connect_to(const char *where) {
    union {
        struct sockaddr any;
        struct sockaddr_in tcp;
        struct sockaddr_un local;
    } address;
    int tcp = strncmp(where, "tcp:", 4) == 0;
    socklen_t size = tcp ? tcp_address(&address.tcp, atoi(where + 4))
                         : unix_name(&address.local, where + 5, strncmp(where, "unix:", 5) == 0);
    int fd = socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct linger at_once = {.l_onoff = 1};
    int yes = 1;
    if (fd < 0) {
        return -1;
    }
    /* Closing resets: thousands of connections in TIME_WAIT would meet the next round. */
    if (tcp
        && (setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) != 0
            || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0)) {
        close(fd);
        return -1;
    }
    if (connect(fd, &address.any, size) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void load_close(void) {
    for (int i = 0; i < load.total; i++) {
        close(load.fds[i]);
    }
    if (load.epoll >= 0) {
        close(load.epoll);
    }
    free(load.fds);
    load = (struct load) {.epoll = -1};
}

static int room_for(int descriptors) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        fail("getrlimit");
        return 0;
    }
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
        fail("setrlimit");
        return 0;
    }
    if (limit.rlim_max < (rlim_t) (descriptors + SPARE_DESCRIPTORS)) {
        snprintf(failure, sizeof failure, "skip %d open files are needed, the hard limit is %ld: raise it (ulimit -Hn)",
                 descriptors + SPARE_DESCRIPTORS, (long) limit.rlim_max);
        return 0;
    }
    return 1;
}

static int load_open(const char *where, int active, int idle) {
    if (!room_for(active + idle)) {
        return 0;
    }
    load.active = active;
    load.fds = calloc((size_t) (active + idle), sizeof *load.fds);
    load.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (load.fds == NULL || load.epoll < 0) {
        fail("room for connections");
        return 0;
    }
    for (; load.total < active + idle; load.total++) {
        struct epoll_event interest = {.events = EPOLLIN, .data.fd = load.total};
        int fd = load.fds[load.total] = connect_to(where);
        if (fd < 0 || (load.total < active && epoll_ctl(load.epoll, EPOLL_CTL_ADD, fd, &interest) != 0)) {
            fail("a connection");
            return 0;
        }
    }
    return 1;
}

static int say(int fd) {
    static const char message[MESSAGE];
    if (send(fd, message, MESSAGE, MSG_NOSIGNAL) != MESSAGE) {
        fail("send of a message");
        return 0;
    }
    return 1;
}

static int hear(int fd) {
    char answer[MESSAGE];
    if (recv(fd, answer, MESSAGE, MSG_WAITALL) != MESSAGE) {
        fail("receive of an answer");
        return 0;
    }
    return 1;
}

/* One connection: what the kernel does for two processes that take turns. */
static int load_alone(long ops) {
    for (long i = 0; i < ops; i++) {
        if (!say(load.fds[0]) || !hear(load.fds[0])) {
            return 0;
        }
    }
    return 1;
}

/* Many: each sends again as soon as it was answered. */
static int load_all(long ops) {
    struct epoll_event events[MOST_EVENTS];
    long asked = 0;
    long answered = 0;
    for (int i = 0; i < load.active && asked < ops; i++, asked++) {
        if (!say(load.fds[i])) {
            return 0;
        }
    }
    while (answered < ops) {
        int count = epoll_wait(load.epoll, events, MOST_EVENTS, PATIENCE_MILLIS);
        if (count <= 0) {
            fail(count == 0 ? "no answer for a long time" : "epoll_wait");
            return 0;
        }
        for (int i = 0; i < count; i++, answered++) {
            int fd = load.fds[events[i].data.fd];
            if (!hear(fd)) {
                return 0;
            }
            if (asked < ops) {
                asked++;
                if (!say(fd)) {
                    return 0;
                }
            }
        }
    }
    return 1;
}

static void load_round(long ops) {
    int64_t start = nanos();
    if (load.active == 1 ? load_alone(ops) : load_all(ops)) {
        add_figure((double) (nanos() - start));
    }
}

#endif
