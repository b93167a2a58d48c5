/* A thread that needs no interpreter: it ends a process that was told to end, whatever holds the interpreter. */
#include "kernel.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST 4096
#define AT_ONCE 200 /* milliseconds after a second signal */
#define MORE 1000   /* milliseconds more where the interpreter is at it: it ends other processes, too */

static int source, sink;
static long long grace;
static char words[3][MOST]; /* of SIGINT, of SIGTERM, of SIGHUP */

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* Nobody may be reading standard error: then nothing is said. */
static void end(int number) {
    const char *line = words[number == SIGHUP ? 2 : number == SIGTERM];
    struct pollfd room = {2, POLLOUT, 0};
    if (poll(&room, 1, 0) == 1 && (room.revents & POLLOUT) && write(2, line, strlen(line)) < 0)
        errno = 0;
    _exit(128 + number);
}

/* Hands every byte on; the first signal to end sets the deadline, a second one sets it near, a zero sets it back. */
static void *watch(void *Py_UNUSED(none)) {
    long long until = 0;
    int number = 0;
    for (;;) {
        struct pollfd ready = {source, POLLIN, 0};
        const long long left = until - now();
        if (number != 0 && left <= 0)
            end(number);
        if (poll(&ready, 1, number == 0 ? -1 : (int)left) <= 0)
            continue;
        unsigned char byte;
        const ssize_t size = read(source, &byte, 1);
        if (size == 0)
            return NULL;
        if (size < 0 || (write(sink, &byte, 1) < 0 && errno == EBADF))
            continue;
        if (byte == 0)
            until += MORE;
        if ((byte != SIGINT && byte != SIGTERM && byte != SIGHUP) || (byte == SIGHUP && number == SIGHUP))
            continue; /* a terminal that is closed may send two SIGHUP */
        until = number == 0 ? now() + grace : Py_MIN(until, now() + AT_ONCE);
        number = number == 0 ? byte : number;
    }
}

PyObject *kernel_guard(PyObject *Py_UNUSED(module), PyObject *args) {
    if (!PyArg_ParseTuple(args, "iiL:guard", &source, &sink, &grace))
        return NULL;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for threads of the interpreter */
    pthread_t thread;
    const int failed = pthread_create(&thread, NULL, watch, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed != 0) {
        errno = failed;
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    pthread_detach(thread);
    Py_RETURN_NONE;
}

static void keep(char *place, const char *line) {
    strncpy(place, line, MOST - 1);
    place[MOST - 1] = 0;
}

PyObject *kernel_last_words(PyObject *Py_UNUSED(module), PyObject *args) {
    const char *interrupted, *terminated, *hung_up;
    if (!PyArg_ParseTuple(args, "yyy:last_words", &interrupted, &terminated, &hung_up))
        return NULL;
    keep(words[0], interrupted);
    keep(words[1], terminated);
    keep(words[2], hung_up);
    Py_RETURN_NONE;
}
