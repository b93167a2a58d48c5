"""Whether the rows of a label table are all there, once each, and whether labels and truths belong to them.

Pure formulas over columns of numbers, a row a trial in the order of the source: a key of a text, truth or item, a code
of a value, a flag. What comes out are frozen records of numbers and row numbers. -1 stands for "none" among codes.
"""
