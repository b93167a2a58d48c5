/* Included once for each width of a character: CH is its type, F(name) the name with the width. */

static inline int F(stands)(const CH *s, Py_ssize_t n, const Literal *literal, Py_ssize_t at) {
    const CH *wanted = literal->as[W];
    return wanted != NULL && at >= 0 && at + literal->size <= n
        && memcmp(s + at, wanted, literal->size * sizeof(CH)) == 0;
}

/* Where the text stands next, found by its sign. */
static Py_ssize_t F(find_sign)(const CH *s, Py_ssize_t n, const Literal *literal, Py_ssize_t from) {
    const CH sign = (CH)literal->sign;
    from += literal->pivot;
    for (Py_ssize_t at = F(next)(s, n, sign, from); at >= 0; at = F(next)(s, n, sign, at + 1))
        if (F(stands)(s, n, literal, at - literal->pivot))
            return at - literal->pivot;
    return -1;
}

static Py_ssize_t F(find)(const CH *s, Py_ssize_t n, const Literal *literal, Py_ssize_t from) {
    if (literal->pivot >= 0)
        return F(find_sign)(s, n, literal, from);
    return F(seek)(s, n, literal->as[W], literal->size, from);
}

/* Where the text stands last: found by its sign from the start, which is quick, else from the end. */
static Py_ssize_t F(find_last)(const CH *s, Py_ssize_t n, const Literal *literal) {
    const CH *wanted = literal->as[W];
    const Py_ssize_t size = literal->size;
    const CH first = wanted[0], last = wanted[size - 1];
    Py_ssize_t i = n - size + 1, found = -1; /* i is one past the place that is looked at next */
    if (literal->pivot >= 0) {
        for (Py_ssize_t at = F(find_sign)(s, n, literal, 0); at >= 0; at = F(find_sign)(s, n, literal, at + 1))
            found = at;
        return found;
    }
    for (; i >= BLOCK; i -= BLOCK) {
        const CH *a = s + i - BLOCK, *b = a + size - 1;
        CH any = 0;
        for (int j = 0; j < BLOCK; j++)
            any |= (CH)((a[j] == first) & (b[j] == last));
        if (any)
            for (int j = BLOCK - 1; j >= 0; j--)
                if (a[j] == first && b[j] == last && memcmp(a + j, wanted, size * sizeof(CH)) == 0)
                    return i - BLOCK + j;
    }
    for (i--; i >= 0; i--)
        if (s[i] == first && s[i + size - 1] == last && memcmp(s + i, wanted, size * sizeof(CH)) == 0)
            return i;
    return -1;
}

/* Whether a marker may stand around this sign, by the characters beside it. */
static inline int F(likely)(const CH *s, Py_ssize_t n, const Sign *sign, Py_ssize_t at) {
    const Py_UCS4 before = at > 0 ? s[at - 1] : 0, after = at + 1 < n ? s[at + 1] : 0;
    return sign->alone || (before < 128 ? sign->before[before] : sign->foreign)
        || (after < 128 ? sign->after[after] : sign->foreign);
}

/* The least place at which a marker of this sign stands, below `best`; with `any`, the first that is met. */
static Py_ssize_t F(walk)(const CH *s, Py_ssize_t n, const Scan *scan, const Sign *sign, Py_ssize_t best, int any) {
    const CH wanted = (CH)sign->sign;
    if (wanted != sign->sign)
        return best;
    for (Py_ssize_t at = F(next)(s, n, wanted, 0); at >= 0; at = F(next)(s, n, wanted, at + 1)) {
        if (at - scan->longest >= best)
            break;
        if (!F(likely)(s, n, sign, at))
            continue;
        for (Py_ssize_t i = 0; i < scan->count; i++) {
            const Literal *marker = &scan->markers[i];
            const Py_ssize_t start = at - marker->pivot;
            if (marker->pivot < 0 || marker->sign != sign->sign || start >= best
                || !F(stands)(s, n, marker, start))
                continue;
            if (any)
                return start;
            if (!F(stands)(s, n, marker, 0)) /* one at the very start hides its later occurrences */
                best = start;
        }
    }
    return best;
}

static Py_ssize_t F(scan)(const CH *s, Py_ssize_t n, const Scan *scan, int any) {
    Py_ssize_t best = n + 1;
    for (Py_ssize_t k = 0; k < scan->n_signs; k++) {
        best = F(walk)(s, n, scan, &scan->signs[k], best, any);
        if (any && best <= n)
            return best;
    }
    for (Py_ssize_t i = 0; i < scan->count; i++) {
        const Literal *marker = &scan->markers[i];
        if (marker->pivot >= 0 || marker->as[W] == NULL)
            continue;
        const Py_ssize_t at = marker->size ? F(find)(s, n, marker, 0) : 0;
        if (at >= 0 && at < best && (any || at > 0))
            best = at;
    }
    return best <= n ? best : -1;
}
