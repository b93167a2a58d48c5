/* Included once for each width of a character: CH is its type, F(name) the name with the width. */

/* The next place of one character, or -1. The C library looks for a byte faster than any loop here: so a wide character
   is looked for by a byte of its own, and where that stands in another one, some characters are looked at one by one. */
static inline Py_ssize_t F(next)(const CH *s, Py_ssize_t n, CH sign, Py_ssize_t from) {
    const Py_UCS4 wide = sign;
    const int byte = (int)(wide & 0xFF ? wide & 0xFF : wide >> 8 & 0xFF ? wide >> 8 & 0xFF : wide >> 16);
    while (from < n) {
        const char *found = memchr(s + from, byte, (n - from) * sizeof(CH));
        if (found == NULL)
            return -1;
        from = (found - (const char *)s) / (Py_ssize_t)sizeof(CH);
        for (const Py_ssize_t stop = Py_MIN(from + BLOCK, n); from < stop; from++)
            if (s[from] == sign)
                return from;
    }
    return -1;
}

/* Where a piece stands next, or -1. Whole blocks are compared at once, the first and the last character together:
   compilers make that wide. */
static inline Py_ssize_t F(seek)(const CH *s, Py_ssize_t n, const CH *wanted, Py_ssize_t size, Py_ssize_t from) {
    const Py_ssize_t ends = n - size + 1;
    const CH first = wanted[0], last = wanted[size - 1];
    Py_ssize_t i = from;
    for (; i + BLOCK <= ends; i += BLOCK) {
        const CH *a = s + i, *b = s + i + size - 1;
        CH any = 0;
        for (int j = 0; j < BLOCK; j++)
            any |= (CH)((a[j] == first) & (b[j] == last));
        if (any)
            for (int j = 0; j < BLOCK; j++)
                if (a[j] == first && b[j] == last && memcmp(a + j, wanted, size * sizeof(CH)) == 0)
                    return i + j;
    }
    for (; i < ends; i++)
        if (s[i] == first && s[i + size - 1] == last && memcmp(s + i, wanted, size * sizeof(CH)) == 0)
            return i;
    return -1;
}
