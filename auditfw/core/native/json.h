/* What the parts of the scanner of JSON Lines know of each other. */
#ifndef AUDITFW_JSON_H
#define AUDITFW_JSON_H

#include "kernel.h"
#include <stdint.h>

#define DEEPEST 100
#define MOST_KEYS 512 /* of a line's open objects together; and so many of a line are remembered for the next one */

/* What stands at a path, as auditfw/core/native/columns.py names it. A line with ODD is left to the strict reader; BENEATH: the path
   leads through a value that is no object; PLAIN text has no escapes; TEXTS is a list of such texts only. */
typedef enum { ODD, ABSENT, BENEATH, NOTHING, FALSE_, TRUE_, WHOLE, DECIMAL, PLAIN, ESCAPED, TEXTS, LIST, OBJECT } Kind;

/* Where the values of one path are, a row each. */
typedef struct {
    PyObject *held[3];
    uint32_t *starts, *sizes;
    unsigned char *kinds;
} Column;

/* One step of the wanted paths: its key, its column (or -1), the first of its own steps and the next beside it. */
typedef struct {
    const char *key;
    Py_ssize_t size;
    int column, inner, next;
} Step;

/* Whether a step is for any key beside it that has none of its own: a bare quote, which no key is. */
static inline int is_other(const Step *step) { return step->size == 1 && *step->key == '"'; }

typedef struct {
    const char *at;
    Py_ssize_t size;
} Key;

/* A key of a line that was read, from its quote to its value: how long it is and the whole, its object (how many keys of
   the line stood before the object), the step of the object, and its own. */
typedef struct {
    const unsigned char *at;
    Py_ssize_t size, whole, object;
    int above, step;
} Past;

typedef struct {
    const unsigned char *data, *p, *end;
    Py_ssize_t row, keys;
    Step *steps;
    Column *columns;
    Py_ssize_t met, before; /* keys of this line, and of the one before that are remembered */
    unsigned char line_end;  /* a blank as well where it does not end a line, else a blank */
    int alike;              /* all keys of this line so far were those of the one before */
    Key known[MOST_KEYS];
    Past past[MOST_KEYS];
} Json;

static inline void json_blanks(Json *json) {
    while (*json->p == ' ' || *json->p == '\t' || *json->p == '\r' || *json->p == json->line_end)
        json->p++;
}

/* json.c: the value at `p`, which is passed over; `step` is its step, or -1 where nothing in it is wanted. */
Kind json_value(Json *, int step, int depth);

/* elements.c: where a value ends that begins with a bracket, by its brackets and quotes alone; NULL where it does not. */
const unsigned char *json_end(const unsigned char *p, const unsigned char *end);

/* A column as Python hands it back: where its values are in the data. */
typedef struct {
    const char *data;
    const uint32_t *starts, *sizes;
    const unsigned char *kinds;
    Py_ssize_t rows;
} Held;

static inline uint64_t eight_at(const char *at) {
    uint64_t told;
    memcpy(&told, at, 8);
    return told;
}

/* Whether so many bytes are the same; most are few, so that no call is worth it. */
static inline int same_text(const char *a, const char *b, Py_ssize_t size) {
    if (size < 8) {
        while (size > 0 && a[size - 1] == b[size - 1])
            size--;
        return size == 0;
    }
    for (Py_ssize_t i = 0; i + 8 < size; i += 8)
        if (eight_at(a + i) != eight_at(b + i))
            return 0;
    return eight_at(a + size - 8) == eight_at(b + size - 8);
}

static inline int same(const Held *a, Py_ssize_t i, const Held *b, Py_ssize_t j) {
    return a->sizes[i] == b->sizes[j] && same_text(a->data + a->starts[i], b->data + b->starts[j], a->sizes[i]);
}

/* groups.c: -1 with an error set where the column is not of this data */
int held(Held *, PyObject *data, PyObject *told);
uint64_t hashed(const char *at, uint32_t size, unsigned char kind);

/* hashes.c: the hashes of many texts, made some at once, go to where each job says */
#define MOST_JOBS 64
typedef struct {
    unsigned char *room; /* the texts in UTF-8 */
    Py_ssize_t size, filled, count;
    struct {
        Py_ssize_t start, size;
        char *hash;
    } all[MOST_JOBS];
} Jobs;
unsigned char *jobs_room(Jobs *, Py_ssize_t size);
void jobs_add(Jobs *, Py_ssize_t size, char *hash);
void jobs_end(Jobs *);
void jobs_free(Jobs *);

/* lines.c, elements.c, cells.c, groups.c, texts.c, values.c, draws.c, facts.c */
PyObject *kernel_ends(PyObject *module, PyObject *data);
PyObject *kernel_lines(PyObject *module, PyObject *args);
PyObject *kernel_elements(PyObject *module, PyObject *args);
PyObject *kernel_objects(PyObject *module, PyObject *args);
PyObject *kernel_rows(PyObject *module, PyObject *args);
PyObject *kernel_cells(PyObject *module, PyObject *args);
PyObject *kernel_texts(PyObject *module, PyObject *args);
PyObject *kernel_values(PyObject *module, PyObject *args);
PyObject *kernel_coded(PyObject *module, PyObject *args);
PyObject *kernel_crossed(PyObject *module, PyObject *args);
PyObject *kernel_within(PyObject *module, PyObject *args);
PyObject *kernel_equal(PyObject *module, PyObject *args);
PyObject *kernel_joined(PyObject *module, PyObject *args);
PyObject *kernel_hashes(PyObject *module, PyObject *texts);
PyObject *kernel_ranked(PyObject *module, PyObject *args);
PyObject *kernel_facts(PyObject *module, PyObject *args);

#endif
