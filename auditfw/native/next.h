/* Included once for each width of a character: CH is its type, F(name) the name with the width. */

/* The next place of one character, or -1. Whole blocks are compared at once: compilers make that wide. */
static inline Py_ssize_t F(next)(const CH *s, Py_ssize_t n, CH sign, Py_ssize_t from) {
    if (from >= n)
        return -1;
    if (sizeof(CH) == 1) {
        const CH *found = memchr(s + from, (int)sign, n - from);
        return found == NULL ? -1 : found - s;
    }
    Py_ssize_t i = from;
    for (; i + BLOCK <= n; i += BLOCK) {
        CH any = 0;
        for (int j = 0; j < BLOCK; j++)
            any |= (CH)(s[i + j] == sign);
        if (any)
            break;
    }
    for (; i < n; i++)
        if (s[i] == sign)
            return i;
    return -1;
}
