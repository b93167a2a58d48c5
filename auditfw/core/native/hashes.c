/* BLAKE2b of many texts, four at once: as auditfw/formulas/texts/text_facts.py hashes them one by one. */
#include "json.h"

#define BLOCK_SIZE 128 /* bytes */
#define RANK_SIZE 8

static const uint64_t START[8] = {
    UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b), UINT64_C(0x3c6ef372fe94f82b), UINT64_C(0xa54ff53a5f1d36f1),
    UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f), UINT64_C(0x1f83d9abfb41bd6b), UINT64_C(0x5be0cd19137e2179)};

static const unsigned char ORDERS[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

#define FIRST_WORD (UINT64_C(0x01010000) | RANK_SIZE) /* what the first word of the state is mixed with */

static inline uint64_t least_first(const unsigned char *p) { /* the least byte first, whatever the machine's order */
    uint64_t told = 0;
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&told, p, 8);
#else
    for (int i = 7; i >= 0; i--)
        told = told << 8 | p[i];
#endif
    return told;
}

#define TURNED(x, by) ((x) >> (by) | (x) << (64 - (by)))

#define MIX(a, b, c, d, x, y)                                                                                          \
    a += b + (x), d = TURNED(d ^ a, 32), c += d, b = TURNED(b ^ c, 24), a += b + (y), d = TURNED(d ^ a, 16), c += d,   \
        b = TURNED(b ^ c, 63)

#define MIX_ROUND(v, m, at)                                                                                            \
    MIX(v[0], v[4], v[8], v[12], m[at[0]], m[at[1]]),                                                                  \
    MIX(v[1], v[5], v[9], v[13], m[at[2]], m[at[3]]),                                                                  \
    MIX(v[2], v[6], v[10], v[14], m[at[4]], m[at[5]]),                                                                 \
    MIX(v[3], v[7], v[11], v[15], m[at[6]], m[at[7]]),                                                                 \
    MIX(v[0], v[5], v[10], v[15], m[at[8]], m[at[9]]),                                                                 \
    MIX(v[1], v[6], v[11], v[12], m[at[10]], m[at[11]]),                                                               \
    MIX(v[2], v[7], v[8], v[13], m[at[12]], m[at[13]]),                                                                \
    MIX(v[3], v[4], v[9], v[14], m[at[14]], m[at[15]])

#define MIX_ROUNDS(v, m, a, b, c) MIX_ROUND(v, m, ORDERS[a]), MIX_ROUND(v, m, ORDERS[b]), MIX_ROUND(v, m, ORDERS[c])
#define MIX_ALL(v, m)                                                                                                  \
    MIX_ROUNDS(v, m, 0, 1, 2), MIX_ROUNDS(v, m, 3, 4, 5), MIX_ROUNDS(v, m, 6, 7, 8), MIX_ROUNDS(v, m, 9, 0, 1)

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
