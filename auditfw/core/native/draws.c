/* Seeded draws: rows ranked by BLAKE2b of their texts, eight bytes, as auditfw/core/sampling.py ranks them. */
#include "json.h"

#define BLOCK_SIZE 128
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

static inline uint64_t turned(uint64_t x, int by) { return x >> by | x << (64 - by); }

static inline uint64_t eight(const unsigned char *p) { /* the least byte first, whatever the machine's order */
    uint64_t told = 0;
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&told, p, 8);
#else
    for (int i = 7; i >= 0; i--)
        told = told << 8 | p[i];
#endif
    return told;
}

#define MIX(a, b, c, d, x, y)                                                                                          \
    a += b + (x), d = turned(d ^ a, 32), c += d, b = turned(b ^ c, 24), a += b + (y), d = turned(d ^ a, 16), c += d,   \
        b = turned(b ^ c, 63)

static void mixed_in(uint64_t state[8], const unsigned char *block, uint64_t length, int last) {
    uint64_t v[16], m[16];
    for (int i = 0; i < 16; i++) {
        m[i] = eight(block + 8 * i);
        v[i] = i < 8 ? state[i] : START[i - 8];
    }
    v[12] ^= length;
    v[14] = last ? ~v[14] : v[14];
    for (int round = 0; round < 12; round++) {
        const unsigned char *at = ORDERS[round % 10];
        MIX(v[0], v[4], v[8], v[12], m[at[0]], m[at[1]]);
        MIX(v[1], v[5], v[9], v[13], m[at[2]], m[at[3]]);
        MIX(v[2], v[6], v[10], v[14], m[at[4]], m[at[5]]);
        MIX(v[3], v[7], v[11], v[15], m[at[6]], m[at[7]]);
        MIX(v[0], v[5], v[10], v[15], m[at[8]], m[at[9]]);
        MIX(v[1], v[6], v[11], v[12], m[at[10]], m[at[11]]);
        MIX(v[2], v[7], v[8], v[13], m[at[12]], m[at[13]]);
        MIX(v[3], v[4], v[9], v[14], m[at[14]], m[at[15]]);
    }
    for (int i = 0; i < 8; i++)
        state[i] ^= v[i] ^ v[i + 8];
}

/* The rank of a text in a draw, its first byte the most significant. `room` begins with the draw's words. */
static uint64_t rank_of(unsigned char *room, Py_ssize_t begun, const char *text, Py_ssize_t size) {
    uint64_t state[8], done = 0, rank = 0;
    memcpy(state, START, sizeof state);
    state[0] ^= UINT64_C(0x01010000) | RANK_SIZE;
    Py_ssize_t held = begun;
    for (;;) {
        const Py_ssize_t some = Py_MIN(BLOCK_SIZE - held, size);
        memcpy(room + held, text, some);
        held += some;
        text += some;
        size -= some;
        if (size == 0)
            break;
        mixed_in(state, room, done += BLOCK_SIZE, 0);
        held = 0;
    }
    memset(room + held, 0, BLOCK_SIZE - held);
    mixed_in(state, room, done + held, 1);
    for (int i = 0; i < RANK_SIZE; i++)
        rank = rank << 8 | (state[0] >> 8 * i & 255);
    return rank;
}

static void bytes_of_rank(uint64_t rank, unsigned char *bytes) {
    for (int i = 0; i < RANK_SIZE; i++)
        bytes[i] = (unsigned char)(rank >> 8 * (RANK_SIZE - 1 - i));
}

static uint64_t number_of(const char *rank) {
    uint64_t number = 0;
    for (int i = 0; i < RANK_SIZE; i++)
        number = number << 8 | (unsigned char)rank[i];
    return number;
}

/* A text's bytes as UTF-8, half a character as a question mark; NULL with an error set. `held` keeps what was made. */
static const char *bytes_of(PyObject *text, Py_ssize_t *size, PyObject **held) {
    if (!PyUnicode_Check(text))
        return PyErr_Format(PyExc_TypeError, "expected texts"), NULL;
    const char *plain = PyUnicode_AsUTF8AndSize(text, size);
    if (plain != NULL || !PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
        return plain;
    PyErr_Clear();
    *held = PyUnicode_AsEncodedString(text, "utf-8", "replace");
    if (*held == NULL)
        return NULL;
    *size = PyBytes_GET_SIZE(*held);
    return PyBytes_AS_STRING(*held);
}

/* Adds (rank, row) of one text, if its rank is not above the bar. */
static int rank_row(PyObject *made, PyObject *words, PyObject *texts, PyObject *row, uint64_t bar) {
    unsigned char room[BLOCK_SIZE], rank[RANK_SIZE];
    const Py_ssize_t begun = PyBytes_GET_SIZE(words), place = PyLong_AsSsize_t(row);
    if (place < 0 || place >= PyList_GET_SIZE(texts)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_IndexError, "no such row");
        return -1;
    }
    Py_ssize_t size = 0;
    PyObject *held = NULL;
    const char *text = bytes_of(PyList_GET_ITEM(texts, place), &size, &held);
    if (text == NULL)
        return -1;
    memcpy(room, PyBytes_AS_STRING(words), begun);
    const uint64_t number = rank_of(room, begun, text, size);
    Py_XDECREF(held);
    if (number > bar)
        return 0;
    bytes_of_rank(number, rank);
    PyObject *one = Py_BuildValue("y#O", rank, (Py_ssize_t)RANK_SIZE, row);
    const int failed = one == NULL || PyList_Append(made, one) < 0;
    Py_XDECREF(one);
    return failed ? -1 : 0;
}

/* Some rows of texts as (rank, row), those whose rank is not above the bar, in the order of the rows. */
PyObject *kernel_ranked(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *words, *texts, *rows, *bar;
    if (!PyArg_ParseTuple(args, "SO!O!O:ranked", &words, &PyList_Type, &texts, &PyList_Type, &rows, &bar))
        return NULL;
    if (PyBytes_GET_SIZE(words) >= BLOCK_SIZE
        || (bar != Py_None && (!PyBytes_Check(bar) || PyBytes_GET_SIZE(bar) != RANK_SIZE)))
        return PyErr_Format(PyExc_ValueError, "expected a short draw, and a rank or None");
    const uint64_t most = bar == Py_None ? UINT64_MAX : number_of(PyBytes_AS_STRING(bar));
    PyObject *made = PyList_New(0);
    for (Py_ssize_t i = 0; made != NULL && i < PyList_GET_SIZE(rows); i++)
        if (rank_row(made, words, texts, PyList_GET_ITEM(rows, i), most) < 0)
            Py_CLEAR(made);
    return made;
}
