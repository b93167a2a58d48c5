"""Hostile texts: what acts on terminals, documents, spreadsheets and build servers."""

from __future__ import annotations

from hypothesis import strategies as st

PIECES = (
    *"\x00\x07\x08\t\n\v\f\r\x1b\x7f\x85\x9b\xa0\xad\u200b\u200d\u2028\u202e\u2066\ufeff\ufffe\ud800\udc00\U000e0041",
    *"aZ0 .,:;#@!$%&'\"()*+-/<=>?[]\\^_`{|}~é漢字😀e\u0301",
    *("[red]", "[/b]", "[link=x]y", ":smile:", "\x1b]8;;http://x\x1b\\", "::error::", "##vso[task.x]", "##[group]"),
    *(
        "<img src=x onerror=y>",
        "</script>",
        "]]>",
        "<!--",
        "&amp;",
        "&#0;",
        "![i](http://x)",
        "[a](javascript:b)",
        "\\|",
    ),
    *(
        "```",
        "~~~",
        "| a | b |",
        "|---|",
        "@user",
        "a@b.org",
        "#12",
        "www.x.org",
        "https://x.org",
        "<http://x>",
        "$`x`$",
    ),
    *("# h", "- x", "1. x", "> q", "---", "===", "[^1]: x", "[x]: http://y", "    code", "- [ ] t", "***b***", "__b__"),
)
hostile = st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(
    st.characters(codec=None, exclude_categories=()), max_size=24
)
