from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    Self,
    TypeVar,
    cast,
)
from uuid import UUID

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.stored_batch_entry_to import StoredBatchEntryTo


T = TypeVar("T", bound="StoredBatchEntry")


@_attrs_define
class StoredBatchEntry:
    """
    Attributes:
        created_at (datetime.datetime):
        state (Literal['scheduled']):
        id (UUID):
        to (StoredBatchEntryTo):
        line (int): The line of the request, from 1; empty lines count. For a JSON array the position, from 1.
        status (Literal[201]):
    """

    created_at: datetime.datetime
    state: Literal["scheduled"]
    id: UUID
    to: StoredBatchEntryTo
    line: int
    status: Literal[201]

    def to_dict(self) -> dict[str, Any]:
        created_at = self.created_at.isoformat()

        state = self.state

        id = str(self.id)

        to = self.to.to_dict()

        line = self.line

        status = self.status

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "created_at": created_at,
                "state": state,
                "id": id,
                "to": to,
                "line": line,
                "status": status,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.stored_batch_entry_to import StoredBatchEntryTo

        d = dict(src_dict)
        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        state = cast(Literal["scheduled"], d.pop("state"))
        if state != "scheduled":
            raise ValueError(f"state must match const 'scheduled', got '{state}'")

        id = UUID(d.pop("id"))

        to = StoredBatchEntryTo.from_dict(d.pop("to"))

        line = d.pop("line")

        status = cast(Literal[201], d.pop("status"))
        if status != 201:
            raise ValueError(f"status must match const 201, got '{status}'")

        stored_batch_entry = cls(
            created_at=created_at,
            state=state,
            id=id,
            to=to,
            line=line,
            status=status,
        )

        return stored_batch_entry
