/* The reader of rows: what it is told once, and the texts of the row at hand. */
#ifndef AUDITFW_READER_H
#define AUDITFW_READER_H

#include "kernel.h"

enum { FALSE_, TRUE_, BLANK, MISSING, UNDEFINED };

/* A parser: the column it reads (0 raw, 1 stored parse), the sign it wants, its steps. */
typedef struct {
    int column, signed_, by_steps;
    Literal sign;
    int *chain;
} Way;

/* A text of the row, and the number of its lower case once that is known. */
typedef struct {
    PyObject *text;
    int low;
} Held;

typedef struct {
    PyObject_HEAD
    Op *ops;
    Way *ways;
    int **heads, *readings;
    Scan *scans;
    Py_ssize_t n_ops, n_ways, n_heads, n_readings, n_scans;
    PyObject *make_tests, *tests;
    PyObject *said, *said_of_long; /* what tests of Python's say of texts that are short, and of others */
    Held *held;
    int *memo;
    signed char *labels;
    int count, room, busy;
} Reader;

/* row.c: texts go by number within a row, 0 is the empty one; -1 means failed, with an error set. */
int row_begin(Reader *);
void row_end(Reader *);
int row_add(Reader *, PyObject *text);
int row_low(Reader *, int number);
int row_chain(Reader *, int number, const int *chain);
int row_answer(Reader *, const Way *, int raw, int parsed);
int row_label(Reader *, int number, Py_ssize_t head, PyObject *tests);

#endif
