"""Prints replies."""

from __future__ import annotations

import json


def show(section: str, reply: object) -> None:
    """Prints a reply as a line of JSON, with the section of docs/api.md that it belongs to."""
    print(json.dumps({"section": section, "reply": reply}), flush=True)
