/* What the parts of the scanner of JSON Lines know of each other. */
#ifndef AUDITFW_JSON_H
#define AUDITFW_JSON_H

#include "kernel.h"
#include <stdint.h>

#define DEEPEST 100
#define MOST_KEYS 512 /* of a line's open objects together */

/* What stands at a path, as auditfw/slices.py names it. A line with ODD is left to the strict reader; BENEATH: the path
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

typedef struct {
    const char *at;
    Py_ssize_t size;
} Key;

typedef struct {
    const unsigned char *data, *p, *end;
    Py_ssize_t row, keys;
    Step *steps;
    Column *columns;
    Key known[MOST_KEYS];
} Json;

/* json.c: the value at `p`, which is passed over; `step` is its step, or -1 where nothing in it is wanted. */
Kind json_value(Json *, int step, int depth);
void json_blanks(Json *);

/* lines.c, groups.c */
PyObject *kernel_ends(PyObject *module, PyObject *data);
PyObject *kernel_lines(PyObject *module, PyObject *args);
PyObject *kernel_texts(PyObject *module, PyObject *args);
PyObject *kernel_coded(PyObject *module, PyObject *args);
PyObject *kernel_crossed(PyObject *module, PyObject *args);
PyObject *kernel_within(PyObject *module, PyObject *args);
PyObject *kernel_equal(PyObject *module, PyObject *args);

#endif
