"""Preprocessor of mdBook that protects formulas from Markdown.

In a formula between $$ and $$, Markdown would read `_` as emphasis and `\\,` as a comma. In a block
of HTML it changes nothing, so MathJax gets the formula as written.
"""

import html
import json
import re
import sys

FORMULA = re.compile(r"^\$\$(.+?)\$\$", re.MULTILINE | re.DOTALL)


def protect(text):
    """Makes a block of HTML of every formula outside blocks of code."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    for index in range(0, len(parts), 2):
        parts[index] = FORMULA.sub(
            lambda found: f"\n<div>$${html.escape(found[1], quote=False)}$$</div>\n", parts[index]
        )
    return "".join(parts)


def visit(node):
    """Changes every chapter, those within chapters too."""
    if isinstance(node, list):
        for item in node:
            visit(item)
    elif isinstance(node, dict):
        if "content" in node:
            node["content"] = protect(node["content"])
        for value in node.values():
            visit(value)


if len(sys.argv) > 1 and sys.argv[1] == "supports":
    sys.exit(0 if sys.argv[2] == "html" else 1)
_, book = json.load(sys.stdin)
visit(book)
json.dump(book, sys.stdout)
