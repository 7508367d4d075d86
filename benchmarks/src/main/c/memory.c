/* Accesses to memory as C makes them; the words for the orders are Java's. */
#include "yardstick.h"

enum { SIZE = 4096, MASK = SIZE - 1 };

static _Alignas(64) unsigned char bytes[SIZE];

#define AT(type, offset) ((type *) (void *) (bytes + (offset)))

/* The compiler must make each plain access, as it would between other work, and not a loop of wide ones. */
#define PLAIN(type, offset) (*(volatile type *) AT(type, offset))

#define LOOP(statement, type)                      \
    uint64_t sum = 0;                              \
    size_t offset = 0;                             \
    int64_t start = nanos();                       \
    for (long i = 0; i < ops; i++) {               \
        statement;                                 \
        offset = (offset + sizeof(type)) & MASK;   \
    }                                              \
    add_figure((double) (nanos() - start));        \
    consume(sum)

#define GET(name, type, expression)                \
    static void name(long ops) {                   \
        LOOP(sum += (uint64_t) (expression), type); \
    }
#define PUT(name, type, statement)                 \
    static void name(long ops) {                   \
        LOOP(statement, type);                     \
    }

#define ACCESSES(type)                                                                                  \
    GET(type##_get, type, PLAIN(type, offset))                                                          \
    PUT(type##_put, type, PLAIN(type, offset) = (type) i)                                               \
    GET(type##_get_acquire, type, __atomic_load_n(AT(type, offset), __ATOMIC_ACQUIRE))                  \
    PUT(type##_put_release, type, __atomic_store_n(AT(type, offset), (type) i, __ATOMIC_RELEASE))       \
    GET(type##_get_volatile, type, __atomic_load_n(AT(type, offset), __ATOMIC_SEQ_CST))                 \
    PUT(type##_put_volatile, type, __atomic_store_n(AT(type, offset), (type) i, __ATOMIC_SEQ_CST))      \
    GET(type##_get_and_add, type, __atomic_fetch_add(AT(type, offset), 1, __ATOMIC_SEQ_CST))            \
    GET(type##_compare_and_set, type, compare_and_set_##type(AT(type, offset)))

static inline int compare_and_set_int(int *word) {
    int expected = 0;
    return __atomic_compare_exchange_n(word, &expected, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static inline int compare_and_set_long(long *word) {
    long expected = 0;
    return __atomic_compare_exchange_n(word, &expected, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

ACCESSES(int)
ACCESSES(long)

#define WORKS(type)                                      \
    {#type "-get", type##_get, NULL},                    \
    {#type "-put", type##_put, NULL},                    \
    {#type "-get-acquire", type##_get_acquire, NULL},    \
    {#type "-put-release", type##_put_release, NULL},    \
    {#type "-get-volatile", type##_get_volatile, NULL},  \
    {#type "-put-volatile", type##_put_volatile, NULL},  \
    {#type "-compare-and-set", type##_compare_and_set, NULL}, \
    {#type "-get-and-add", type##_get_and_add, NULL}

int main(int argc, char **argv) {
    static const struct work works[] = {WORKS(int), WORKS(long)};
    return serve(argc, argv, works, sizeof works / sizeof works[0]);
}
