/* Searches by a pattern that was translated into nodes: the matches of a backtracking engine, one character after
   another. Which characters a set holds is asked of that engine, a page of 256 at a time. */
#include "kernel.h"

/* A finder that gives up often gives up sooner: what it is asked then goes to the engine at once. */
enum { DEEPEST = 2000, BUDGET = 20000000, LEAST_BUDGET = 20000, SAVED = 42, PAGES = 0x1100 };

typedef enum {
    ACCEPT, CHARACTER, ONE, MANY, FORK, SAVE, START, END, LINE_START, LINE_END, TEXT_END, EDGE, LOOK, AGAIN, OPS
} NodeOp;

typedef struct {
    int op, next, a, b;
    Py_ssize_t min, max;
} Node;

typedef struct {
    unsigned char ascii[128];
    unsigned char **pages;
} Paged;

/* What is given of a match: a group by its number, or one of these. */
enum { FILLED = -1, JOINED = -2, REPLACED = -3, REST = -4 };

typedef struct {
    PyObject_HEAD
    Node *nodes;
    Paged *sets;
    int n_nodes, n_sets, begin, groups, lead, foreign, at_start, at_lines, endless, ahead, kept, given_up;
    Py_ssize_t which;
    unsigned char begins[128], within[128], places[128];
    Literal must;
    PyObject *ask, *otherwise, *text; /* `text`: where there is no match, or what replaces one */
} Finder;

typedef struct {
    const Finder *finder;
    const Node *nodes;
    const void *s;
    Py_ssize_t size, end;
    long long budget;
    int depth, failed;
    Py_ssize_t saved[SAVED];
} Search;

static int fill_page(Search *f, int set, int page) {
    Paged *paged = &f->finder->sets[set];
    if (paged->pages == NULL && (paged->pages = PyMem_Calloc(PAGES, sizeof *paged->pages)) == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    PyObject *flags = PyObject_CallFunction(f->finder->ask, "ii", set, page);
    if (flags == NULL)
        return -1;
    unsigned char *made = PyBytes_Check(flags) && PyBytes_GET_SIZE(flags) == 256 ? PyMem_Malloc(256) : NULL;
    if (made != NULL)
        memcpy(made, PyBytes_AS_STRING(flags), 256);
    else
        PyErr_SetString(PyExc_ValueError, "256 flags are wanted");
    Py_DECREF(flags);
    /* the call may have come here by itself */
    PyMem_Free(paged->pages[page]);
    paged->pages[page] = made;
    return made == NULL ? -1 : 0;
}

static int has_foreign(Search *f, int set, Py_UCS4 c) {
    const Paged *paged = &f->finder->sets[set];
    if ((paged->pages == NULL || paged->pages[c >> 8] == NULL) && (f->failed || fill_page(f, set, (int)(c >> 8)) < 0)) {
        f->failed = 1;
        return 0;
    }
    return paged->pages[c >> 8][c & 255];
}

static inline int has(Search *f, int set, Py_UCS4 c) {
    return c < 128 ? f->finder->sets[set].ascii[c] : has_foreign(f, set, c);
}

static void forget(Search *f) {
    for (int i = 0; i < 2 * f->finder->groups + 2; i++)
        f->saved[i] = -1;
}

static int repeat_one(Search *, const Node *, Py_ssize_t);
static int repeat_two(Search *, const Node *, Py_ssize_t);
static int repeat_four(Search *, const Node *, Py_ssize_t);
#define FOR_EACH_WIDTH "finder.h"
#include "widths.h"
static Search searched(const Finder *finder, PyObject *text) {
    Search f = {.finder = finder, .nodes = finder->nodes, .s = PyUnicode_DATA(text), .budget = Py_MAX(LEAST_BUDGET, BUDGET >> Py_MIN(finder->given_up, 20))};
    f.size = PyUnicode_GET_LENGTH(text);
    forget(&f);
    return f;
}

/* The match that is wanted: 1, and its places are saved; 0 where there is none; -1: given up. */
static int find_match(Search *f, PyObject *text, Py_ssize_t which) {
    if (which < 0) {
        Py_ssize_t saved[SAVED];
        const int found = BY_WIDTH(text, last, f, saved);
        if (found == 1)
            memcpy(f->saved, saved, sizeof saved);
        return found;
    }
    int found = BY_WIDTH(text, first, f, 0, f->size);
    for (; found == 1 && which > 0; which--) {
        const Py_ssize_t end = f->saved[1];
        forget(f);
        found = BY_WIDTH(text, first, f, end, f->size);
    }
    return found;
}

static PyObject *group_text(const Search *f, PyObject *text, int group) {
    const Py_ssize_t from = f->saved[2 * group], to = f->saved[2 * group + 1];
    return from < 0 || to < 0 ? PyUnicode_New(0, 0) : slice(text, from, to);
}

static int add_part(PyObject *parts, PyObject *part) {
    const int failed = part == NULL || PyList_Append(parts, part) < 0;
    Py_XDECREF(part);
    return failed ? -1 : 0;
}

static PyObject *joined_groups(const Search *f, PyObject *text) {
    if (f->finder->groups == 0)
        return group_text(f, text, 0);
    PyObject *parts = PyList_New(0), *between = PyUnicode_FromString("\x1f"), *made = NULL;
    int failed = parts == NULL || between == NULL;
    for (int group = 1; group <= f->finder->groups && !failed; group++) {
        if (f->saved[2 * group] < 0 || f->saved[2 * group + 1] < 0)
            continue;
        failed = add_part(parts, group_text(f, text, group)) < 0;
    }
    if (!failed)
        made = PyUnicode_Join(between, parts);
    Py_XDECREF(parts);
    Py_XDECREF(between);
    return made;
}

static PyObject *kept_text(const Search *f, PyObject *text) {
    const Finder *finder = f->finder;
    if (finder->kept == JOINED)
        return joined_groups(f, text);
    if (finder->kept == REST) {
        const Py_ssize_t end = PyUnicode_FindChar(text, '\n', f->saved[1], f->size, 1);
        return end == -2 ? NULL : slice(text, f->saved[1], end < 0 ? f->size : end);
    }
    int group = finder->kept;
    if (group == FILLED)
        for (group = 1; group < finder->groups && f->saved[2 * group + 1] <= f->saved[2 * group]; group++)
            ;
    if (f->saved[2 * group + 1] <= f->saved[2 * group])
        return Py_NewRef(finder->text);
    return group_text(f, text, group);
}

/* The text with each match replaced; NULL without an error: given up. */
static PyObject *replaced(Search *f, PyObject *text) {
    Py_ssize_t from = 0;
    int found = BY_WIDTH(text, first, f, 0, f->size);
    if (found == 0)
        return Py_NewRef(text);
    PyObject *parts = PyList_New(0), *nothing = PyUnicode_New(0, 0), *made = NULL;
    int failed = parts == NULL || nothing == NULL;
    while (found == 1 && !failed) {
        failed = add_part(parts, slice(text, from, f->saved[0])) < 0 || PyList_Append(parts, f->finder->text) < 0;
        from = f->saved[1];
        forget(f);
        found = BY_WIDTH(text, first, f, from, f->size);
    }
    if (found == 0 && !failed && add_part(parts, slice(text, from, f->size)) == 0)
        made = PyUnicode_Join(nothing, parts);
    Py_XDECREF(parts);
    Py_XDECREF(nothing);
    return made;
}

static PyObject *finder_call(PyObject *self, PyObject *args, PyObject *Py_UNUSED(named)) {
    const Finder *finder = (Finder *)self;
    PyObject *text, *made = NULL;
    if (!PyArg_ParseTuple(args, "U:Finder", &text) || PyUnicode_READY(text) < 0)
        return NULL;
    if (finder->must.size > 0 && find(text, &finder->must, 0) < 0)
        return Py_NewRef(finder->kept == REPLACED ? text : finder->text);
    Search f = searched(finder, text);
    if (finder->kept == REPLACED)
        made = replaced(&f, text);
    else {
        const int found = find_match(&f, text, finder->which);
        made = found == 1 ? kept_text(&f, text) : found == 0 ? Py_NewRef(finder->text) : NULL;
    }
    if (made != NULL || PyErr_Occurred())
        return made;
    ((Finder *)self)->given_up++;
    return PyObject_CallOneArg(finder->otherwise, text);
}

static int take_node(Finder *finder, Node *node, PyObject *described) {
    if (!PyTuple_Check(described)
        || !PyArg_ParseTuple(
            described, "iiiinn:node", &node->op, &node->next, &node->a, &node->b, &node->min, &node->max))
        return PyErr_Occurred() ? -1 : refuse("a node is described by a tuple");
    const int sets = node->op == ONE || node->op == MANY || node->op == EDGE;
    const int target = node->op == FORK || node->op == LOOK, fork = node->op == FORK;
    if (node->op < 0 || node->op >= OPS || node->next < 0 || node->next >= finder->n_nodes || node->min < 0
        || (sets && (node->a < 0 || node->a >= finder->n_sets))
        || (target && (node->a < 0 || node->a >= finder->n_nodes))
        || (fork && (node->b < 0 || node->b >= finder->n_nodes))
        || (node->op == SAVE && (node->a < 2 || node->a >= 2 * finder->groups + 2))
        || (node->op == AGAIN && (node->a < 1 || node->a > finder->groups)))
        return refuse("no such node");
    return 0;
}

static int take_table(unsigned char *table, PyObject *flags) {
    if (!PyBytes_Check(flags) || PyBytes_GET_SIZE(flags) != 128)
        return refuse("128 flags are wanted");
    memcpy(table, PyBytes_AS_STRING(flags), 128);
    return 0;
}

static int fill(Finder *finder, PyObject *nodes, PyObject *sets) {
    finder->n_nodes = (int)PyTuple_GET_SIZE(nodes);
    finder->n_sets = (int)PyTuple_GET_SIZE(sets);
    finder->nodes = PyMem_Calloc(finder->n_nodes + 1, sizeof *finder->nodes);
    finder->sets = PyMem_Calloc(finder->n_sets + 1, sizeof *finder->sets);
    if (finder->nodes == NULL || finder->sets == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < finder->n_sets; i++)
        if (take_table(finder->sets[i].ascii, PyTuple_GET_ITEM(sets, i)) < 0)
            return -1;
    for (int i = 0; i < finder->n_nodes; i++)
        if (take_node(finder, &finder->nodes[i], PyTuple_GET_ITEM(nodes, i)) < 0)
            return -1;
    if (finder->begin < 0 || finder->begin >= finder->n_nodes || finder->kept > finder->groups
        || finder->kept < REST || finder->groups < 0 || 2 * finder->groups + 2 > SAVED
        || (finder->kept == FILLED && finder->groups == 0) || finder->which < -1
        || finder->endless >= finder->n_sets || finder->ahead < 1 || finder->ahead > 8)
        return refuse("a finder has a node to begin with, and few groups");
    return 0;
}

static PyObject *finder_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(named)) {
    PyObject *nodes, *sets, *begins, *within, *places, *must;
    Finder given = {.begin = 0}, *finder = (Finder *)type->tp_alloc(type, 0);
    if (finder == NULL)
        return NULL;
    const int read = PyArg_ParseTuple(
        args, "(O!O!ii)(SSip)(ppi)(SiU)niUOO:Finder", &PyTuple_Type, &nodes, &PyTuple_Type, &sets, &given.begin,
        &given.groups, &begins, &within, &given.lead, &given.foreign, &given.at_start, &given.at_lines, &given.endless,
        &places, &given.ahead, &must, &given.which, &given.kept, &given.text, &given.ask, &given.otherwise);
    if (read) {
        given.ob_base = finder->ob_base;
        *finder = given;
        Py_INCREF(finder->text);
        Py_INCREF(finder->ask);
        Py_INCREF(finder->otherwise);
    }
    if (!read || fill(finder, nodes, sets) < 0 || take_table(finder->begins, begins) < 0
        || take_table(finder->within, within) < 0 || take_table(finder->places, places) < 0
        || literal_make(&finder->must, must) < 0) {
        Py_DECREF(finder);
        return NULL;
    }
    return (PyObject *)finder;
}

static int finder_traverse(Finder *finder, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(finder));
    Py_VISIT(finder->ask);
    Py_VISIT(finder->otherwise);
    return 0;
}

static int finder_clear(Finder *finder) {
    Py_CLEAR(finder->ask);
    Py_CLEAR(finder->otherwise);
    return 0;
}

static void finder_dealloc(Finder *finder) {
    PyTypeObject *type = Py_TYPE(finder);
    PyObject_GC_UnTrack(finder);
    finder_clear(finder);
    Py_CLEAR(finder->text);
    literal_free(&finder->must);
    for (int i = 0; i < finder->n_sets && finder->sets != NULL; i++) {
        for (int page = 0; page < PAGES && finder->sets[i].pages != NULL; page++)
            PyMem_Free(finder->sets[i].pages[page]);
        PyMem_Free(finder->sets[i].pages);
    }
    PyMem_Free(finder->sets);
    PyMem_Free(finder->nodes);
    type->tp_free(finder);
    Py_DECREF(type);
}

static PyType_Slot slots[] = {
    {Py_tp_doc, "Searches by a pattern, and keeps a part of a match."},
    {Py_tp_new, finder_new},
    {Py_tp_traverse, finder_traverse},
    {Py_tp_clear, finder_clear},
    {Py_tp_dealloc, finder_dealloc},
    {Py_tp_call, finder_call},
    {0, NULL},
};
static PyType_Spec spec = {
    "auditfw.core.native._kernel.Finder", sizeof(Finder), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};

PyTypeObject *finder_type;

int finder_begin(PyObject *module) {
    finder_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return finder_type == NULL ? -1 : PyModule_AddObjectRef(module, "Finder", (PyObject *)finder_type);
}
