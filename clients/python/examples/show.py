"""Prints replies."""

from __future__ import annotations

import json
from typing import Any, Protocol


class Model(Protocol):
    def to_dict(self) -> dict[str, Any]: ...


def show(section: str, reply: Model | object) -> None:
    """Prints a reply as a line of JSON, with the section of docs/api.md that it belongs to."""
    print(json.dumps({"section": section, "reply": _json_of(reply)}), flush=True)


def _json_of(reply: Any) -> Any:
    if isinstance(reply, list):
        return [_json_of(item) for item in reply]
    return reply.to_dict() if hasattr(reply, "to_dict") else reply
