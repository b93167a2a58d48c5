/* Seeded draws: rows ranked by BLAKE2b of their texts, eight bytes, as auditfw/core/sampling.py ranks them. */
#include "json.h"
#include "blake.h"

static void mixed_in(uint64_t state[8], const unsigned char *block, uint64_t length, int last) {
    uint64_t v[16], m[16];
    for (int i = 0; i < 16; i++) {
        m[i] = least_first(block + 8 * i);
        v[i] = i < 8 ? state[i] : START[i - 8];
    }
    v[12] ^= length;
    v[14] = last ? ~v[14] : v[14];
    MIX_ALL(v, m);
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
