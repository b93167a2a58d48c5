"""A real browser for the page on which people label."""

from browsers import browser, driver, opened_file  # noqa: F401
