from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.readiness_database import ReadinessDatabase, check_readiness_database
from ..models.readiness_queue import ReadinessQueue, check_readiness_queue
from ..models.readiness_status import ReadinessStatus, check_readiness_status
from ..types import UNSET, Unset

T = TypeVar("T", bound="Readiness")


@_attrs_define
class Readiness:
    """
    Attributes:
        status (ReadinessStatus): `up` if calls are accepted and pushes delivered.
        database (ReadinessDatabase):
        queue (ReadinessQueue):
        reason (str | Unset): One sentence for a person, if something is down.
    """

    status: ReadinessStatus
    database: ReadinessDatabase
    queue: ReadinessQueue
    reason: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        status: str = self.status

        database: str = self.database

        queue: str = self.queue

        reason = self.reason

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "status": status,
                "database": database,
                "queue": queue,
            }
        )
        if reason is not UNSET:
            field_dict["reason"] = reason

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        status = check_readiness_status(d.pop("status"))

        database = check_readiness_database(d.pop("database"))

        queue = check_readiness_queue(d.pop("queue"))

        reason = d.pop("reason", UNSET)

        readiness = cls(
            status=status,
            database=database,
            queue=queue,
            reason=reason,
        )

        return readiness
