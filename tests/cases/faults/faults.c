/* Preloaded into a process under test: fails the n-th call that writes below a folder.
 *
 * Counted are open (for writing), write, fsync, rename, mkdir, symlink and their kin, of all processes together, where
 * the path or the open file is below the folder. Nothing is counted until faults_arm is called. Where the errno is 0,
 * a write takes half of its bytes, and every other call succeeds.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

struct state {
    int calls;             /* counted so far */
    int at, until;         /* the calls that fail, counted from 1 */
    int error;             /* errno of a failing call */
    char hit[PATH_MAX + 32]; /* name and path of the first call that failed */
};

static struct state *state;
static char root[PATH_MAX];
static size_t root_length;

/* Begins to count; calls number at to until fail with this errno. Returns 0, or -1 where memory cannot be shared. */
int faults_arm(const char *folder, int at, int until, int error) {
    struct state *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return -1;
    shared->at = at, shared->until = until, shared->error = error;
    root_length = strlen(strncpy(root, folder, sizeof root - 1));
    state = shared;
    return 0;
}

int faults_calls(void) { return state ? state->calls : 0; }
const char *faults_hit(void) { return state ? state->hit : ""; }

static int below(const char *path) { return strncmp(path, root, root_length) == 0; }

static int at_folder(int folder, const char *path, char *full, size_t room) {
    char link[64];
    ssize_t n;
    if (path[0] == '/') return snprintf(full, room, "%s", path) > 0;
    if (folder == AT_FDCWD) {
        if (!getcwd(full, room)) return 0;
        n = (ssize_t)strlen(full);
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        n = readlink(link, full, room - 1);
        if (n < 0) return 0;
    }
    snprintf(full + n, room - (size_t)n, "/%s", path);
    return 1;
}

static int fails(const char *call, const char *path) {
    if (!below(path)) return 0;
    int n = __atomic_add_fetch(&state->calls, 1, __ATOMIC_SEQ_CST);
    if (n < state->at || n > state->until) return 0;
    if (n == state->at) snprintf(state->hit, sizeof state->hit, "%s %s", call, path);
    errno = state->error;
    return state->error != 0 || strcmp(call, "write") == 0;
}

static int fails_at(const char *call, int folder, const char *path) {
    char full[PATH_MAX];
    return state && path && at_folder(folder, path, full, sizeof full) && fails(call, full);
}

static int fails_on(const char *call, int handle) {
    char link[64], full[PATH_MAX];
    if (!state) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t n = readlink(link, full, sizeof full - 1);
    if (n < 0) return 0;
    full[n] = 0;
    return fails(call, full);
}

#define HALF(all) (state->error ? -1 : (all)) /* where a write has no half */

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static int writes(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT); }

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(name); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = va_arg(rest, mode_t); \
        va_end(rest); \
        if (writes(flags) && fails_at("open", AT_FDCWD, path)) return -1; \
        return real(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
    int name(int folder, const char *path, int flags, ...) { \
        REAL(name); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = va_arg(rest, mode_t); \
        va_end(rest); \
        if (writes(flags) && fails_at("open", folder, path)) return -1; \
        return real(folder, path, flags, mode); \
    }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int handle, const void *bytes, size_t n) {
    REAL(write);
    if (!fails_on("write", handle)) return real(handle, bytes, n);
    return state->error || n < 2 ? HALF(real(handle, bytes, n)) : real(handle, bytes, n / 2);
}

ssize_t pwrite(int handle, const void *bytes, size_t n, off_t at) {
    REAL(pwrite);
    if (!fails_on("write", handle)) return real(handle, bytes, n, at);
    return state->error || n < 2 ? HALF(real(handle, bytes, n, at)) : real(handle, bytes, n / 2, at);
}

ssize_t pwrite64(int handle, const void *bytes, size_t n, off64_t at) {
    REAL(pwrite64);
    if (!fails_on("write", handle)) return real(handle, bytes, n, at);
    return state->error || n < 2 ? HALF(real(handle, bytes, n, at)) : real(handle, bytes, n / 2, at);
}

ssize_t writev(int handle, const struct iovec *parts, int n) {
    REAL(writev);
    return fails_on("write", handle) ? HALF(real(handle, parts, n)) : real(handle, parts, n);
}

int fsync(int handle) {
    REAL(fsync);
    return fails_on("fsync", handle) ? -1 : real(handle);
}

int fdatasync(int handle) {
    REAL(fdatasync);
    return fails_on("fsync", handle) ? -1 : real(handle);
}

int ftruncate(int handle, off_t size) {
    REAL(ftruncate);
    return fails_on("write", handle) ? HALF(real(handle, size)) : real(handle, size);
}

int ftruncate64(int handle, off64_t size) {
    REAL(ftruncate64);
    return fails_on("write", handle) ? HALF(real(handle, size)) : real(handle, size);
}

int rename(const char *from, const char *to) {
    REAL(rename);
    return fails_at("rename", AT_FDCWD, to) ? -1 : real(from, to);
}

int renameat(int a, const char *from, int b, const char *to) {
    REAL(renameat);
    return fails_at("rename", b, to) ? -1 : real(a, from, b, to);
}

int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    return fails_at("mkdir", AT_FDCWD, path) ? -1 : real(path, mode);
}

int mkdirat(int folder, const char *path, mode_t mode) {
    REAL(mkdirat);
    return fails_at("mkdir", folder, path) ? -1 : real(folder, path, mode);
}

int symlink(const char *to, const char *path) {
    REAL(symlink);
    return fails_at("symlink", AT_FDCWD, path) ? -1 : real(to, path);
}

int symlinkat(const char *to, int folder, const char *path) {
    REAL(symlinkat);
    return fails_at("symlink", folder, path) ? -1 : real(to, folder, path);
}
