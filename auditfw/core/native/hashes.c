/* BLAKE2b of many texts, four at once: as auditfw/formulas/texts/text_facts.py hashes them one by one. */
#include "blake.h"
#include "json.h"

#define LANES 4
#define ENOUGH (1 << 18) /* bytes that wait for their hashes */

typedef uint64_t Lanes __attribute__((vector_size(8 * LANES)));

/* Where a lane is in its job; -1 where it has none. */
typedef struct {
    Py_ssize_t job, at;
} Lane;

/* Mixes a block of each lane in. */
static inline __attribute__((always_inline)) void mix(Lanes state[8], const Lanes m[16], const Lanes *length, const Lanes *last) {
    Lanes v[16];
    for (int i = 0; i < 8; i++) {
        v[i] = state[i];
        v[i + 8] = (Lanes){0} + START[i];
    }
    v[12] ^= *length;
    v[14] ^= *last;
    MIX_ALL(v, m);
    for (int i = 0; i < 8; i++)
        state[i] ^= v[i] ^ v[i + 8];
}

static void mix_anywhere(Lanes state[8], const Lanes m[16], const Lanes *length, const Lanes *last) {
    mix(state, m, length, last);
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
__attribute__((target("avx2"))) static void mix_wide(Lanes state[8], const Lanes m[16], const Lanes *length, const Lanes *last) {
    mix(state, m, length, last);
}
#define IS_WIDE __builtin_cpu_supports("avx2")
#else
#define mix_wide mix_anywhere
#define IS_WIDE 0
#endif

/* Where so many bytes of a text may be written; NULL with an error set. What waits for its hash may be moved. */
unsigned char *jobs_room(Jobs *jobs, Py_ssize_t size) {
    if (jobs->filled + size > jobs->size) {
        unsigned char *more = PyMem_Realloc(jobs->room, (size_t)(jobs->filled + size));
        if (more == NULL)
            return PyErr_NoMemory(), NULL;
        jobs->room = more;
        jobs->size = jobs->filled + size;
    }
    return jobs->room + jobs->filled;
}

/* Adds the text that was written there. */
void jobs_add(Jobs *jobs, Py_ssize_t size, char *hash) {
    jobs->all[jobs->count].start = jobs->filled;
    jobs->all[jobs->count].size = size;
    jobs->all[jobs->count++].hash = hash;
    jobs->filled += size;
    if (jobs->count == MOST_JOBS || jobs->filled > ENOUGH)
        jobs_end(jobs);
}

void jobs_free(Jobs *jobs) { PyMem_Free(jobs->room); }

/* Loads the next block of a lane; whether it is its last. */
static int load(const Jobs *jobs, Lane *lane, int l, Lanes m[16], Lanes *length) {
    unsigned char padded[BLOCK_SIZE] = {0};
    const Py_ssize_t left = jobs->all[lane->job].size - lane->at;
    const unsigned char *block = jobs->room + jobs->all[lane->job].start + lane->at;
    if (left < BLOCK_SIZE)
        block = memcpy(padded, block, left);
    for (int i = 0; i < 16; i++)
        m[i][l] = least_first(block + 8 * i);
    lane->at += Py_MIN(left, BLOCK_SIZE);
    (*length)[l] = (uint64_t)lane->at;
    return left <= BLOCK_SIZE;
}

/* Makes the hashes that wait: a lane that is done takes the next job. */
void jobs_end(Jobs *jobs) {
    Lane lanes[LANES];
    Lanes state[8], m[16] = {{0}}, length = {0}, last;
    Py_ssize_t next = 0;
    int busy = 0;
    for (int l = 0; l < LANES; l++)
        lanes[l].job = -1;
    do {
        busy = 0;
        last = (Lanes){0};
        for (int l = 0; l < LANES; l++) {
            if (lanes[l].job < 0 && next < jobs->count) {
                lanes[l] = (Lane){next++, 0};
                for (int i = 0; i < 8; i++)
                    state[i][l] = START[i] ^ (i == 0 ? FIRST_WORD : 0);
            }
            if (lanes[l].job >= 0) {
                last[l] = load(jobs, &lanes[l], l, m, &length) ? UINT64_MAX : 0;
                busy = 1;
            }
        }
        if (busy)
            (IS_WIDE ? mix_wide : mix_anywhere)(state, m, &length, &last);
        for (int l = 0; l < LANES; l++)
            if (lanes[l].job >= 0 && last[l] != 0) {
                uint64_t hash = 0;
                for (int i = 0; i < RANK_SIZE; i++)
                    hash = hash << 8 | (state[0][l] >> 8 * i & 255);
                memcpy(jobs->all[lanes[l].job].hash, &hash, RANK_SIZE);
                lanes[l].job = -1;
            }
    } while (busy);
    jobs->count = jobs->filled = 0;
}
