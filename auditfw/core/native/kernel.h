/* What the parts of the kernel know of each other. Texts are str objects; positions count code points. */
#ifndef AUDITFW_KERNEL_H
#define AUDITFW_KERNEL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

#define BLOCK 32 /* characters that are looked at together */

/* 0, 1, 2 for one, two, four bytes a character; and the function of that name for a text's width. */
#define WIDTH(text) ((int)PyUnicode_KIND(text) >> 1)
#define BY_WIDTH(text, name, ...) \
    (WIDTH(text) == 0 ? name##_one(__VA_ARGS__) : WIDTH(text) == 1 ? name##_two(__VA_ARGS__) : name##_four(__VA_ARGS__))

/* A text to be looked for, in each width that can hold it; `as` is NULL in the others. Its sign, found at `pivot` (-1
   where it has none), is a character that is neither letter, digit nor blank: rare enough to be looked for by itself. */
typedef struct {
    Py_ssize_t size, pivot;
    Py_UCS4 sign;
    void *as[3];
} Literal;

/* A set of characters: a table for ASCII, a str for the others (NULL where there are none). */
typedef struct {
    unsigned char ascii[128];
    PyObject *rest;
} Set;

/* A sign with the ASCII characters that markers have right before or right after it; `foreign`: others, too;
   `alone`: a marker is nothing but the sign. */
typedef struct {
    Py_UCS4 sign;
    unsigned char before[128], after[128], foreign, alone;
} Sign;

typedef struct {
    Py_ssize_t count, longest, n_signs;
    Literal *markers;
    Sign *signs;
} Scan;

typedef enum {
    STRIP, LOWER, CASEFOLD, COLLAPSE, DIGITS, UNDOT, REPLACE, REMOVE, WORDS, AFTER_LAST, BEFORE_LAST, BEFORE_FIRST,
    FIRST_LINE, LAST_LINE, FIRST_OF, FOREIGN, CALL, CODES
} Code;

/* One step. Which fields count depends on the code. */
typedef struct {
    Code code;
    int ignore_case;
    Py_UCS4 by;
    Literal literal;
    Set set;
    Scan scan;
    Literal *words;
    Py_ssize_t count;
    int **choices; /* lists of step numbers, each ended by -1 */
    PyObject *call, *known, *known_of_long;
} Op;

static inline int refuse(const char *why) {
    PyErr_SetString(PyExc_ValueError, why);
    return -1;
}

extern unsigned char word_table[128];

static inline int is_word(Py_UCS4 c) { return c < 128 ? word_table[c] : Py_UNICODE_ISALNUM(c); }

static inline int in_set(const Set *set, Py_UCS4 c) {
    if (c < 128)
        return set->ascii[c];
    return set->rest != NULL && PyUnicode_FindChar(set->rest, c, 0, PyUnicode_GET_LENGTH(set->rest), 1) >= 0;
}

/* literal.c */
int literal_make(Literal *, PyObject *text);
void literal_free(Literal *);
int set_make(Set *, PyObject *characters);
void set_free(Set *);
int scan_make(Scan *, PyObject *markers);
void scan_free(Scan *);
Py_ssize_t find(PyObject *text, const Literal *, Py_ssize_t from);
Py_ssize_t find_last(PyObject *text, const Literal *);
Py_ssize_t scan_first(const Scan *, PyObject *low);
int scan_present(const Scan *, PyObject *low);

/* rewrite.c: each gives a new reference, to the text itself where nothing changes, or NULL with an error set. */
PyObject *lower(PyObject *text);
PyObject *casefold(PyObject *text);
PyObject *rewrite(const Op *, PyObject *text);
void rewrite_begin(void);

/* cuts.c */
PyObject *cut(const Op *, PyObject *text, PyObject *looked);
PyObject *slice(PyObject *text, Py_ssize_t start, Py_ssize_t end);
PyObject *strip(PyObject *text);
int blank(PyObject *text);

/* op.c */
int *numbers(PyObject *tuple, Py_ssize_t below);
PyObject *list_of(const Py_ssize_t *values, Py_ssize_t count);
int op_make(Op *, PyObject *described, Py_ssize_t steps);
void op_free(Op *);
int op_visit(Op *, visitproc, void *);

/* needle.c, reader.c */
extern PyTypeObject *needle_type;
int needle_begin(PyObject *module);
int needle_found(PyObject *needle, PyObject *text);
int reader_begin(PyObject *module);

/* finder.c */
extern PyTypeObject *finder_type;
int finder_begin(PyObject *module);

/* guard.c */
PyObject *kernel_guard(PyObject *module, PyObject *args);
PyObject *kernel_last_words(PyObject *module, PyObject *args);

#endif
