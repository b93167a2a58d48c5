"""The report that people look at: report.html, one file with its charts, tables and a gallery to look through."""
