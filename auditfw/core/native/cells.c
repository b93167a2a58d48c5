/* Delimited text: where rows end, and the cells of the wanted columns. What Python's csv may read otherwise is refused. */
#include "json.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef struct {
    const unsigned char *p, *end;
    unsigned char delimiter;
    int quote; /* -1: quotes mean nothing */
} Text;

/* A cell: its bytes without the quotes around it, whether there are any, whether quotes inside are doubled. */
typedef struct {
    const unsigned char *at;
    Py_ssize_t size;
    int quoted, doubled;
} Cell;

typedef enum { CELL, ROW, CUT, STRANGE } Next; /* what follows a cell: another, a new row, the end of all, or something odd */

static inline int is_mark(unsigned char c, unsigned char delimiter) {
    return c == delimiter || c == '\n' || c == '\r' || c == 0;
}

/* The next delimiter, line end or NUL; the end where there is none. */
static const unsigned char *next_mark(const unsigned char *p, const unsigned char *end, unsigned char delimiter) {
#ifdef __SSE2__
    const __m128i a = _mm_set1_epi8((char)delimiter), b = _mm_set1_epi8('\n'), c = _mm_set1_epi8('\r');
    for (; end - p >= 16; p += 16) {
        const __m128i held = _mm_loadu_si128((const __m128i *)p);
        const __m128i ab = _mm_or_si128(_mm_cmpeq_epi8(held, a), _mm_cmpeq_epi8(held, b));
        const __m128i cd = _mm_or_si128(_mm_cmpeq_epi8(held, c), _mm_cmpeq_epi8(held, _mm_setzero_si128()));
        const unsigned marks = _mm_movemask_epi8(_mm_or_si128(ab, cd));
        if (marks != 0)
            return p + __builtin_ctz(marks);
    }
#endif
    while (p < end && !is_mark(*p, delimiter))
        p++;
    return p;
}

/* Whether a carriage return without a line feed, or a NUL, is between quotes: csv counts lines by the first. */
static int is_strange(const unsigned char *p, Py_ssize_t size) {
    if (memchr(p, 0, size) != NULL)
        return 1;
    const unsigned char *end = p + size;
    while ((p = memchr(p, '\r', end - p)) != NULL)
        if (++p == end || *p != '\n')
            return 1;
    return 0;
}

/* Passes over a cell and what ends it. */
static Next cell(Text *text, Cell *cell) {
    const unsigned char *p = text->p, *end = text->end;
    *cell = (Cell){p, 0, 0, 0};
    if (p < end && text->quote >= 0 && *p == (unsigned char)text->quote) {
        cell->at = ++p;
        cell->quoted = 1;
        for (;;) {
            p = memchr(p, text->quote, end - p);
            if (p == NULL || p + 1 >= end) /* a further quote may come */
                return CUT;
            if (p[1] != (unsigned char)text->quote)
                break;
            cell->doubled = 1;
            p += 2;
        }
        cell->size = p - cell->at;
        p++;
        if (is_strange(cell->at, cell->size))
            return STRANGE;
    } else {
        p = next_mark(p, end, text->delimiter);
        cell->size = p - cell->at;
        if (p == end)
            return CUT;
    }
    if (*p == text->delimiter) {
        text->p = p + 1;
        return CELL;
    }
    if (*p == '\r') {
        if (p + 1 == end)
            return CUT;
        p++;
    }
    text->p = p + 1;
    return *p == '\n' ? ROW : STRANGE;
}

/* Passes over blank lines; how many. */
static Py_ssize_t blank_lines(Text *text) {
    Py_ssize_t lines = 0;
    for (;; lines++) {
        if (text->p < text->end && *text->p == '\n')
            text->p++;
        else if (text->end - text->p > 1 && text->p[0] == '\r' && text->p[1] == '\n')
            text->p += 2;
        else
            return lines;
    }
}

static int text_of(Text *text, PyObject *data, Py_ssize_t start, const char *delimiter, int quote) {
    if (start < 0 || start > PyBytes_GET_SIZE(data))
        return refuse("a place that is not in the data");
    const unsigned char *begin = (const unsigned char *)PyBytes_AS_STRING(data);
    *text = (Text){begin + start, begin + PyBytes_GET_SIZE(data), (unsigned char)*delimiter, quote};
    return 0;
}

/* How many rows there are from a place on, at most so many and so many bytes; the blank lines among them, where the last
   row ends, and whether what follows is something odd. */
PyObject *kernel_rows(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *data;
    Py_ssize_t start, most, size, rows = 0, blank = 0;
    const char *delimiter;
    int quote;
    Text text;
    if (!PyArg_ParseTuple(args, "Snyinn:rows", &data, &start, &delimiter, &quote, &most, &size) ||
        text_of(&text, data, start, delimiter, quote) < 0)
        return NULL;
    const unsigned char *begin = (const unsigned char *)PyBytes_AS_STRING(data), *done = text.p;
    Next next = ROW;
    Py_BEGIN_ALLOW_THREADS
    while (next == ROW && rows < most && done - begin < start + size) {
        Cell one;
        blank += blank_lines(&text);
        while ((next = cell(&text, &one)) == CELL)
            ;
        if (next == ROW) {
            rows++;
            done = text.p;
        }
    }
    Py_END_ALLOW_THREADS
    return Py_BuildValue("nnni", rows, blank, done - begin, next == STRANGE);
}

/* The text of a cell; NULL with an error set where it is not UTF-8. */
static PyObject *value_of(const Cell *cell, unsigned char quote, char **room, Py_ssize_t *most) {
    if (!cell->doubled)
        return PyUnicode_DecodeUTF8((const char *)cell->at, cell->size, NULL);
    if (cell->size > *most) {
        char *wider = PyMem_Realloc(*room, cell->size);
        if (wider == NULL)
            return PyErr_NoMemory();
        *room = wider;
        *most = cell->size;
    }
    char *to = *room;
    const unsigned char *p = cell->at, *end = p + cell->size;
    while (p < end) {
        const unsigned char *found = memchr(p, quote, end - p);
        const Py_ssize_t part = (found == NULL ? end : found + 1) - p;
        memcpy(to, p, part);
        to += part;
        p += part + (found != NULL);
    }
    return PyUnicode_DecodeUTF8(*room, to - *room, NULL);
}

/* Reads the rows of a block into the columns; 0 where there are not so many, or one has not as many cells; -1 on error. */
static int read_rows(Text *text, Py_ssize_t rows, Py_ssize_t width, PyObject *places, PyObject *columns, uint32_t *lines) {
    Py_ssize_t most = 0;
    uint32_t line = 0;
    char *room = NULL;
    int sound = 1;
    for (Py_ssize_t row = 0; row < rows && sound == 1; row++) {
        line += (uint32_t)blank_lines(text);
        lines[row] = line;
        const unsigned char *start = text->p;
        Next next = CELL;
        Cell one;
        for (Py_ssize_t i = 0; next == CELL && sound == 1; i++) {
            next = cell(text, &one);
            if (i >= width || next > ROW || (next == ROW && i + 1 != width)) {
                sound = 0;
                break;
            }
            const long place = PyLong_AsLong(PyTuple_GET_ITEM(places, i));
            if (place < 0)
                continue;
            PyObject *value = value_of(&one, (unsigned char)text->quote, &room, &most);
            if (value == NULL)
                sound = -1;
            else
                PyList_SET_ITEM(PyTuple_GET_ITEM(columns, place), row, value);
        }
        for (const unsigned char *p = start; (p = memchr(p, '\n', text->p - p)) != NULL; p++)
            line++;
    }
    PyMem_Free(room);
    return sound;
}

/* The cells of so many rows of so many columns: `places` says of each column which list it goes to, -1 for none. A list for
   each, and the lines on which the rows start, from 0; None where a row is not as wide, or a cell is no text. */
PyObject *kernel_cells(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *data, *places, *columns = NULL, *lines = NULL, *made = NULL;
    Py_ssize_t rows, lists;
    const char *delimiter;
    int quote;
    Text text;
    if (!PyArg_ParseTuple(args, "SnO!nyi:cells", &data, &rows, &PyTuple_Type, &places, &lists, &delimiter, &quote) ||
        text_of(&text, data, 0, delimiter, quote) < 0)
        return NULL;
    const Py_ssize_t width = PyTuple_GET_SIZE(places);
    if (rows < 0 || lists < 0 || rows > PyBytes_GET_SIZE(data))
        return PyErr_Format(PyExc_ValueError, "a number of rows or lists that cannot be");
    for (Py_ssize_t i = 0; i < width; i++) {
        const long place = PyLong_AsLong(PyTuple_GET_ITEM(places, i));
        if (place < -1 || place >= lists)
            return PyErr_Format(PyExc_ValueError, "a place without a list");
    }
    columns = PyTuple_New(lists);
    lines = PyBytes_FromStringAndSize(NULL, 4 * rows);
    for (Py_ssize_t i = 0; columns != NULL && i < lists; i++) {
        PyObject *list = PyList_New(rows);
        if (list == NULL)
            Py_CLEAR(columns);
        else
            PyTuple_SET_ITEM(columns, i, list);
    }
    if (columns != NULL && lines != NULL) {
        const int sound = read_rows(&text, rows, width, places, columns, (uint32_t *)PyBytes_AS_STRING(lines));
        if (sound == 1)
            made = PyTuple_Pack(2, columns, lines);
        else if (sound == 0 || PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) {
            PyErr_Clear();
            made = Py_NewRef(Py_None);
        }
    }
    Py_XDECREF(columns);
    Py_XDECREF(lines);
    return made;
}
