"""`auditfw plan`: how many items, and what to buy next, from a finished run or from typed numbers."""
