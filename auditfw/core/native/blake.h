/* BLAKE2b with hashes of eight bytes: what its ways share. The words may be numbers or vectors of them. */
#ifndef AUDITFW_BLAKE_H
#define AUDITFW_BLAKE_H

#include "kernel.h"
#include <stdint.h>

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

#endif
