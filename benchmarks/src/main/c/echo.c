/*
 * An echo server on epoll, level-triggered, as small as C can have it; in a process of its own, as those in Java are.
 * An argument is the number of idle connections of the work "scale".
 */
#define _GNU_SOURCE
#include "load.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum { BUFFER = 16384, BACKLOG = 4096, SCALE_ACTIVE = 100 };

static pid_t server;
static int idle_connections;

static void die(const char *what) {
    perror(what);
    exit(1);
}

static void answer_one(int fd) {
    static char buffer[BUFFER];
    ssize_t count = read(fd, buffer, sizeof buffer);
    if (count > 0 ? write(fd, buffer, (size_t) count) != count : errno != EAGAIN || count == 0) {
        close(fd);
    }
}

static void accept_all(int epoll, int listener, int tcp) {
    int yes = 1;
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        struct epoll_event interest = {.events = EPOLLIN | EPOLLRDHUP, .data.fd = fd};
        if (fd < 0) {
            return;
        }
        if ((tcp && setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0)
            || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &interest) != 0) {
            die("an accepted connection");
        }
    }
}

static void serve_echo(int listener, int tcp) {
    struct epoll_event events[MOST_EVENTS];
    struct epoll_event interest = {.events = EPOLLIN, .data.fd = listener};
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pin(first_core);
    start_second_thread(0, NULL);
    if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &interest) != 0) {
        die("an epoll");
    }
    for (;;) {
        int count = epoll_wait(epoll, events, MOST_EVENTS, -1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.fd == listener) {
                accept_all(epoll, listener, tcp);
            } else {
                answer_one(events[i].data.fd);
            }
        }
    }
}

static int listen_at(int tcp, char *where, size_t room) {
    union {
        struct sockaddr any;
        struct sockaddr_in tcp;
        struct sockaddr_un local;
    } address;
    char name[64];
    socklen_t size;
    snprintf(name, sizeof name, "carillon-echo-%d", getpid());
    size = tcp ? tcp_address(&address.tcp, 0) : unix_name(&address.local, name, 1);
    int fd = socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, &address.any, size) != 0 || listen(fd, BACKLOG) != 0
        || getsockname(fd, &address.any, &size) != 0) {
        fail("a listener");
        return -1;
    }
    if (tcp) {
        snprintf(where, room, "tcp:%d", ntohs(address.tcp.sin_port));
    } else {
        snprintf(where, room, "unix:%s", name);
    }
    return fd;
}

static void echo(int tcp, int active, int idle, long ops) {
    char where[96];
    if (server == 0) {
        int listener = room_for(active + idle) ? listen_at(tcp, where, sizeof where) : -1;
        if (listener < 0) {
            return;
        }
        fflush(stdout);
        server = fork();
        if (server == 0) {
            serve_echo(listener, tcp);
        }
        close(listener);
        pin(second_core);
        if (!load_open(where, active, idle)) {
            return;
        }
    }
    load_round(ops);
}

static void echo_close(void) {
    load_close();
    if (server > 0) {
        kill(server, SIGKILL);
        waitpid(server, NULL, 0);
        server = 0;
    }
    pin(first_core);
}

static void tcp_1(long ops) { echo(1, 1, 0, ops); }
static void tcp_64(long ops) { echo(1, 64, 0, ops); }
static void tcp_1000(long ops) { echo(1, 1000, 0, ops); }
static void unix_1(long ops) { echo(0, 1, 0, ops); }
static void unix_64(long ops) { echo(0, 64, 0, ops); }
static void unix_1000(long ops) { echo(0, 1000, 0, ops); }
static void scale(long ops) { echo(1, SCALE_ACTIVE, idle_connections, ops); }

int main(int argc, char **argv) {
    static const struct work works[] = {
        {"tcp-1", tcp_1, echo_close},         {"tcp-64", tcp_64, echo_close},
        {"tcp-1000", tcp_1000, echo_close},   {"unix-1", unix_1, echo_close},
        {"unix-64", unix_64, echo_close},     {"unix-1000", unix_1000, echo_close},
        {"scale", scale, echo_close},
    };
    idle_connections = argc > 1 ? atoi(argv[1]) : 0;
    return serve(argc, argv, works, sizeof works / sizeof works[0]);
}
