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
