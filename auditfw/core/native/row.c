/* The texts of one row: each is held once, each step is taken once on each of them. */
#include "reader.h"

#define NOT_YET (-1)
#define SHORT 256 /* characters of a text that is short */

static int grow(Reader *r) {
    const int room = r->room ? r->room * 2 : 16;
    Held *held = PyMem_Realloc(r->held, room * sizeof *held);
    if (held != NULL)
        r->held = held;
    int *memo = PyMem_Realloc(r->memo, (room * r->n_ops + 1) * sizeof *memo);
    if (memo != NULL)
        r->memo = memo;
    signed char *labels = PyMem_Realloc(r->labels, room * r->n_heads + 1);
    if (labels != NULL)
        r->labels = labels;
    if (held == NULL || memo == NULL || labels == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    r->room = room;
    return 0;
}

/* Holds a text under a new number; the reference becomes the row's. */
static int hold(Reader *r, PyObject *text) {
    if (r->count == r->room && grow(r) < 0) {
        Py_DECREF(text);
        return -1;
    }
    const int number = r->count++;
    r->held[number] = (Held){text, NOT_YET};
    for (Py_ssize_t i = 0; i < r->n_ops; i++)
        r->memo[number * r->n_ops + i] = NOT_YET;
    memset(r->labels + number * r->n_heads, NOT_YET, r->n_heads);
    return number;
}

int row_begin(Reader *r) {
    row_end(r);
    PyObject *empty = PyUnicode_New(0, 0);
    return empty == NULL ? -1 : hold(r, empty);
}

void row_end(Reader *r) {
    while (r->count > 0) {
        r->count--;
        Py_CLEAR(r->held[r->count].text);
    }
}

static int same(PyObject *a, PyObject *b) {
    return a == b
        || (PyUnicode_GET_LENGTH(a) == PyUnicode_GET_LENGTH(b) && PyUnicode_KIND(a) == PyUnicode_KIND(b)
            && memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b), (size_t)PyUnicode_GET_LENGTH(a) << WIDTH(a)) == 0);
}

/* The number of a text, whose reference becomes the row's. NULL passes an error on. */
int row_add(Reader *r, PyObject *text) {
    if (text == NULL)
        return -1;
    for (int i = 0; i < r->count; i++)
        if (same(r->held[i].text, text)) {
            Py_DECREF(text);
            return i;
        }
    return hold(r, text);
}

int row_low(Reader *r, int number) {
    if (r->held[number].low == NOT_YET) {
        const int low = row_add(r, lower(r->held[number].text));
        if (low < 0)
            return -1;
        r->held[number].low = low;
    }
    return r->held[number].low;
}

static int is_short(PyObject *text) { return PyUnicode_GET_LENGTH(text) <= SHORT; }

/* What a step that is called makes of a text. */
static PyObject *asked(PyObject *call, PyObject *text) {
    PyObject *made = PyObject_CallOneArg(call, text);
    if (made != NULL && !PyUnicode_CheckExact(made)) {
        PyErr_Format(PyExc_TypeError, "a step must give text, not %s", Py_TYPE(made)->tp_name);
        Py_CLEAR(made);
    }
    if (made != NULL && PyUnicode_READY(made) < 0)
        Py_CLEAR(made);
    return made;
}

/* The same; each distinct text of a batch is asked about once. The kernel's own searches cost less than finding out
   whether a text was there before. */
static PyObject *called(Op *op, PyObject *text) {
    if (Py_IS_TYPE(op->call, finder_type))
        return asked(op->call, text);
    PyObject *known = is_short(text) ? op->known : op->known_of_long;
    PyObject *made = PyDict_GetItemWithError(known, text);
    if (made != NULL || PyErr_Occurred())
        return Py_XNewRef(made);
    made = asked(op->call, text);
    if (made != NULL && PyDict_SetItem(known, text, made) < 0)
        Py_CLEAR(made);
    return made;
}

/* What the first list of steps gives that leaves more than white space; "" where none does. */
static int first_of(Reader *r, const Op *op, int number) {
    for (Py_ssize_t i = 0; i < op->count; i++) {
        const int left = row_chain(r, number, op->choices[i]);
        if (left < 0 || !blank(r->held[left].text))
            return left;
    }
    return 0;
}

static int taken(Reader *r, int number, Op *op) {
    PyObject *text = r->held[number].text;
    int looked = number;
    switch (op->code) {
    case LOWER: return row_low(r, number);
    case FIRST_OF: return first_of(r, op, number);
    case FOREIGN: return PyUnicode_IS_ASCII(text) ? number : row_add(r, called(op, text));
    case CALL: return row_add(r, called(op, text));
    case AFTER_LAST:
    case BEFORE_LAST:
    case BEFORE_FIRST:
        if (op->ignore_case && (looked = row_low(r, number)) < 0)
            return -1;
        /* fall through */
    case STRIP:
    case FIRST_LINE:
    case LAST_LINE: return row_add(r, cut(op, text, r->held[looked].text));
    default: return row_add(r, rewrite(op, text));
    }
}

int row_chain(Reader *r, int number, const int *chain) {
    for (; number >= 0 && *chain >= 0; chain++) {
        const Py_ssize_t place = number * r->n_ops + *chain;
        int made = r->memo[place];
        if (made == NOT_YET) {
            made = taken(r, number, &r->ops[*chain]);
            r->memo[place] = made; /* which may have moved meanwhile */
        }
        number = made;
    }
    return number;
}

/* The number of the answer that a parser finds; -1 where it has nothing to read, -2 where it failed. */
int row_answer(Reader *r, const Way *way, int raw, int parsed) {
    const int number = way->column ? parsed : raw;
    if (number < 0)
        return -1;
    if (way->signed_) {
        const int low = row_low(r, number);
        if (low < 0)
            return -2;
        if (find(r->held[low].text, &way->sign, 0) < 0)
            return -1;
    }
    if (number == 0 && way->by_steps)
        return 0;
    const int answer = row_chain(r, number, way->chain);
    return answer < 0 ? -2 : answer;
}

/* What a test says: 1, 0, or 2 for nothing; -1 where it failed. One of Python's is asked once about each text. */
static int said(Reader *r, PyObject *test, PyObject *text) {
    if (Py_IS_TYPE(test, needle_type))
        return needle_found(test, text);
    PyObject *key = PyTuple_Pack(2, test, text);
    if (key == NULL)
        return -1;
    PyObject *known = is_short(text) ? r->said : r->said_of_long;
    PyObject *verdict = Py_XNewRef(PyDict_GetItemWithError(known, key));
    if (verdict == NULL && !PyErr_Occurred()) {
        verdict = PyObject_CallOneArg(test, text);
        if (verdict != NULL && PyDict_SetItem(known, key, verdict) < 0)
            Py_CLEAR(verdict);
    }
    Py_DECREF(key);
    if (verdict == NULL)
        return -1;
    const int code = verdict == Py_True ? 1 : verdict == Py_False ? 0 : verdict == Py_None ? 2 : -1;
    if (code < 0)
        PyErr_SetString(PyExc_TypeError, "a matcher must say true, false or nothing");
    Py_DECREF(verdict);
    return code;
}

/* The label of a text by its truth's tests: right if any says so, undefined if none says anything. */
int row_label(Reader *r, int number, Py_ssize_t head, PyObject *tests) {
    const Py_ssize_t place = number * r->n_heads + head;
    if (r->labels[place] != NOT_YET)
        return r->labels[place];
    PyObject *own = PyTuple_GET_ITEM(tests, head);
    int label = UNDEFINED;
    if (PyTuple_GET_SIZE(own) > 0) {
        const int text = row_chain(r, number, r->heads[head]);
        if (text < 0)
            return -1;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(own); i++) {
            const int code = said(r, PyTuple_GET_ITEM(own, i), r->held[text].text);
            if (code < 0)
                return -1;
            label = code == 1 || label == TRUE_ ? TRUE_ : code == 0 ? FALSE_ : label;
        }
    }
    return r->labels[place] = (signed char)label;
}
