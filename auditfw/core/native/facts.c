/* What the label table holds of each text, as auditfw/formulas/texts/text_facts.py defines it: one call a batch. */
#include "json.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define SHORTEST 40 /* characters of a text whose last word is looked at */
#define WINDOW 8000
#define TAIL 40
#define TIMES 6
#define SHORT 800
#define EARLY 200
#define MOST_THOUGHTS 32
#define MOST_LETTERS 7 /* of a word that needs another one */
#define MOST_PIECE 64   /* characters that are compared at every place */
#define SPAN 64        /* characters that are classified at once */
#define GAP '_'
#define OTHER 0x7F /* in place of what is not ASCII */
#define LONG_S 0x17F
#define LAST_BLANK 0x3000
#define NO_TEXT 255
#define ODD_SIGNS 256 /* an error is set */

enum { EMPTY = 1, THINK = 2, FENCE = 4, JSON = 8, LATEX = 16, JOINED = 32, LOOP = 64 };
enum { LETTER, OPTION, YES_NO, DIGIT }; /* bits of a character's class */

typedef struct {
    Literal *all;
    Py_ssize_t count;
} Texts;

/* What is looked for: the ends of turns, openers and closers of thoughts by turns, words that need another one. */
typedef struct {
    Texts ends, thoughts, functions;
    Set blanks, joining;
} Words;

typedef struct {
    void *at;
    size_t size;
} Room;

/* Rooms for a text without its answer and for a piece of it, and the texts to be hashed. */
typedef struct {
    Room text, piece;
    Jobs jobs;
} Rooms;

typedef struct {
    unsigned char signs;
    uint32_t chars, tokens, mask_chars;
    char *text, *mask; /* where their hashes go */
    int doubtful;
} Facts;

static inline Py_UCS4 low_of(Py_UCS4 c) { return c - 'A' < 26 ? c | 32 : c == 0x212A ? 'k' : c; }
static inline int is_digit(Py_UCS4 c) { return c - '0' < 10; }
static inline int is_decimal(Py_UCS4 c) { return c < 128 ? is_digit(c) : Py_UNICODE_ISDECIMAL(c); }

/* Whether a last character ends something. */
static int closes(Py_UCS4 c) {
    return c < 128 ? c != 0 && strchr("}])`.!?", (int)c) != NULL : c == 0x3002 || c == 0xFF01 || c == 0xFF1F;
}

static int in_words(const Texts *words, const char *word, Py_ssize_t size) {
    for (Py_ssize_t i = 0; i < words->count; i++)
        if (words->all[i].size == size && words->all[i].as[0] != NULL && memcmp(words->all[i].as[0], word, size) == 0)
            return 1;
    return 0;
}

/* Adds to the number of a name, which is given up; -1 with an error set. */
static int count_name(PyObject *begun, PyObject *name, int by) {
    PyObject *known = name == NULL ? NULL : PyDict_GetItemWithError(begun, name);
    PyObject *made = name == NULL || PyErr_Occurred() ? NULL : PyLong_FromLong((known ? PyLong_AsLong(known) : 0) + by);
    const int failed = made == NULL || PyDict_SetItem(begun, name, made) < 0;
    Py_XDECREF(made);
    Py_XDECREF(name);
    return failed ? -1 : 0;
}

/* Whether any name was begun more often than ended. */
static int more_begun(PyObject *begun) {
    PyObject *name, *times;
    Py_ssize_t at = 0;
    while (PyDict_Next(begun, &at, &name, &times))
        if (PyLong_AsLong(times) > 0)
            return 1;
    return 0;
}

/* Whether the first characters of a text, in lower case, have some words that each refusal has. */
static int says_no(const char *first) {
    static const char *const refusing[] = {"not", "n't", "unable", "decline", "sorry"};
    int refused = strstr(first, "as a") != NULL || strstr(first, "my g") != NULL;
    for (const char *at = first; !refused && (at = strchr(at, 'i')) != NULL; at++)
        refused = (at == first || !is_word((unsigned char)at[-1]))
            && (!is_word((unsigned char)at[1]) || strchr("camwh", at[1]) != NULL);
    for (int i = 0; refused && i < 5; i++)
        if (strstr(first, refusing[i]) != NULL)
            return 1;
    return 0;
}

/* The bits of one class of the characters. */
static inline uint64_t bits_of(const unsigned char *classes, int bit) {
    uint64_t bits = 0;
#ifdef __SSE2__
    for (int i = 0; i < SPAN; i += 16) {
        const __m128i some = _mm_slli_epi16(_mm_loadu_si128((const __m128i *)(classes + i)), 7 - bit);
        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(some) << i;
    }
#else
    for (int i = 0; i < SPAN; i++)
        bits |= (uint64_t)(classes[i] >> bit & 1) << i;
#endif
    return bits;
}

static void *room_of(Room *room, Py_ssize_t size) {
    if ((size_t)size > room->size) {
        void *more = PyMem_Realloc(room->at, (size_t)size);
        if (more == NULL)
            return PyErr_NoMemory();
        room->at = more;
        room->size = (size_t)size;
    }
    return room->at;
}

#define FOR_EACH_WIDTH "facts.h"
#include "widths.h"

/* The facts of one text; -1 with an error set. */
static int facts_of(PyObject *text, PyObject *truth, PyObject *answer, const Words *words, Rooms *rooms, Facts *facts) {
    const void *s = PyUnicode_DATA(text);
    return BY_WIDTH(text, facts, s, PyUnicode_GET_LENGTH(text), truth, answer, words, rooms, facts);
}

static int texts_make(Texts *texts, PyObject *tuple, Py_ssize_t most) {
    if (!PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) > most)
        return PyErr_SetString(PyExc_ValueError, "expected a tuple of a few texts"), -1;
    texts->all = PyMem_Calloc(PyTuple_GET_SIZE(tuple) + 1, sizeof *texts->all);
    if (texts->all == NULL)
        return PyErr_NoMemory(), -1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++, texts->count++) {
        if (literal_make(&texts->all[i], PyTuple_GET_ITEM(tuple, i)) < 0)
            return texts->count++, -1;
        if (texts->all[i].size == 0)
            return texts->count++, PyErr_SetString(PyExc_ValueError, "an empty text is everywhere"), -1;
    }
    return 0;
}

static void texts_free(Texts *texts) {
    for (Py_ssize_t i = 0; i < texts->count; i++)
        literal_free(&texts->all[i]);
    PyMem_Free(texts->all);
}

static void words_free(Words *words) {
    texts_free(&words->ends);
    texts_free(&words->thoughts);
    texts_free(&words->functions);
    set_free(&words->blanks);
    set_free(&words->joining);
}

/* The rows one by one into the columns; the doubtful ones to a list. -1 with an error set. */
static int fill(PyObject *texts, PyObject *truths, PyObject *answers, const Words *words, char *columns[6], PyObject *doubtful) {
    Rooms rooms = {0};
    int failed = 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(texts) && !failed; i++) {
        PyObject *text = PyList_GET_ITEM(texts, i);
        Facts facts = {.signs = NO_TEXT, .text = columns[3] + 8 * i, .mask = columns[4] + 8 * i};
        if (text != Py_None && !PyUnicode_Check(text))
            failed = PyErr_Format(PyExc_TypeError, "expected texts") == NULL;
        else if (text == Py_None)
            memset(facts.text, 0, 8), memset(facts.mask, 0, 8);
        else
            failed = facts_of(text, PyList_GET_ITEM(truths, i), PyList_GET_ITEM(answers, i), words, &rooms, &facts) < 0;
        columns[0][i] = (char)facts.signs;
        memcpy(columns[1] + 4 * i, &facts.chars, 4);
        memcpy(columns[2] + 4 * i, &facts.tokens, 4);
        memcpy(columns[5] + 4 * i, &facts.mask_chars, 4);
        PyObject *row = facts.doubtful && !failed ? PyLong_FromSsize_t(i) : NULL;
        failed |= facts.doubtful && (row == NULL || PyList_Append(doubtful, row) < 0);
        Py_XDECREF(row);
    }
    jobs_end(&rooms.jobs);
    jobs_free(&rooms.jobs);
    PyMem_Free(rooms.text.at);
    PyMem_Free(rooms.piece.at);
    return failed ? -1 : 0;
}

/* The signs of a list of texts as a bytearray, the other columns as bytes, and the rows that may be refusals. */
PyObject *kernel_facts(PyObject *Py_UNUSED(module), PyObject *args) {
    static const int sizes[6] = {1, 4, 4, 8, 8, 4};
    PyObject *texts, *truths, *answers, *ends, *thoughts, *functions, *blanks, *joining, *made[6] = {NULL};
    Words words = {0};
    char *columns[6];
    if (!PyArg_ParseTuple(args, "O!O!O!(OOOOO):facts", &PyList_Type, &texts, &PyList_Type, &truths, &PyList_Type,
                          &answers, &ends, &thoughts, &functions, &blanks, &joining))
        return NULL;
    const Py_ssize_t rows = PyList_GET_SIZE(texts);
    if (PyList_GET_SIZE(truths) != rows || PyList_GET_SIZE(answers) != rows)
        return PyErr_Format(PyExc_ValueError, "expected as many truths and answers as texts");
    PyObject *told = NULL, *doubtful = PyList_New(0);
    int failed = doubtful == NULL || texts_make(&words.ends, ends, 99) < 0
        || texts_make(&words.thoughts, thoughts, MOST_THOUGHTS) < 0 || texts_make(&words.functions, functions, 99) < 0
        || set_make(&words.blanks, blanks) < 0 || set_make(&words.joining, joining) < 0;
    if (!failed && (words.thoughts.count < 2 || words.thoughts.count % 2))
        failed = PyErr_Format(PyExc_ValueError, "expected openers and closers by turns") == NULL;
    for (int k = 0; k < 6 && !failed; k++) {
        made[k] = k == 0 ? PyByteArray_FromStringAndSize(NULL, rows) : PyBytes_FromStringAndSize(NULL, sizes[k] * rows);
        failed = made[k] == NULL;
        if (!failed)
            columns[k] = k == 0 ? PyByteArray_AS_STRING(made[k]) : PyBytes_AS_STRING(made[k]);
    }
    if (!failed && fill(texts, truths, answers, &words, columns, doubtful) == 0)
        told = Py_BuildValue("OOOOOOO", made[0], made[1], made[2], made[3], made[4], made[5], doubtful);
    for (int k = 0; k < 6; k++)
        Py_XDECREF(made[k]);
    Py_XDECREF(doubtful);
    words_free(&words);
    return told;
}
