from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.credentials_credentials_item_environment import (
    CredentialsCredentialsItemEnvironment,
    check_credentials_credentials_item_environment,
)
from ..models.credentials_credentials_item_gateway import (
    CredentialsCredentialsItemGateway,
    check_credentials_credentials_item_gateway,
)
from ..models.credentials_credentials_item_identity import (
    CredentialsCredentialsItemIdentity,
    check_credentials_credentials_item_identity,
)

T = TypeVar("T", bound="CredentialsCredentialsItem")


@_attrs_define
class CredentialsCredentialsItem:
    """
    Attributes:
        gateway (CredentialsCredentialsItemGateway):
        environment (CredentialsCredentialsItemEnvironment):
        stored_at (datetime.datetime):
        readable (bool): False if they were encrypted with another `SECRET_KEY`.
        key_id (None | str): Of an Apple key.
        team_id (None | str): Of an Apple key.
        project_id (None | str): Of a Firebase project.
        identity (CredentialsCredentialsItemIdentity): `process`: no key is stored; the identity of the sending process
            is used.
    """

    gateway: CredentialsCredentialsItemGateway
    environment: CredentialsCredentialsItemEnvironment
    stored_at: datetime.datetime
    readable: bool
    key_id: None | str
    team_id: None | str
    project_id: None | str
    identity: CredentialsCredentialsItemIdentity

    def to_dict(self) -> dict[str, Any]:
        gateway: str = self.gateway

        environment: str = self.environment

        stored_at = self.stored_at.isoformat()

        readable = self.readable

        key_id: None | str
        key_id = self.key_id

        team_id: None | str
        team_id = self.team_id

        project_id: None | str
        project_id = self.project_id

        identity: str = self.identity

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "gateway": gateway,
                "environment": environment,
                "stored_at": stored_at,
                "readable": readable,
                "key_id": key_id,
                "team_id": team_id,
                "project_id": project_id,
                "identity": identity,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        gateway = check_credentials_credentials_item_gateway(d.pop("gateway"))

        environment = check_credentials_credentials_item_environment(
            d.pop("environment")
        )

        stored_at = datetime.datetime.fromisoformat(d.pop("stored_at"))

        readable = d.pop("readable")

        def _parse_key_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        key_id = _parse_key_id(d.pop("key_id"))

        def _parse_team_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        team_id = _parse_team_id(d.pop("team_id"))

        def _parse_project_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        project_id = _parse_project_id(d.pop("project_id"))

        identity = check_credentials_credentials_item_identity(d.pop("identity"))

        credentials_credentials_item = cls(
            gateway=gateway,
            environment=environment,
            stored_at=stored_at,
            readable=readable,
            key_id=key_id,
            team_id=team_id,
            project_id=project_id,
            identity=identity,
        )

        return credentials_credentials_item
