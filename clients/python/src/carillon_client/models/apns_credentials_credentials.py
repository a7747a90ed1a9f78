from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.apns_credentials_credentials_environment import (
    ApnsCredentialsCredentialsEnvironment,
    check_apns_credentials_credentials_environment,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="ApnsCredentialsCredentials")


@_attrs_define
class ApnsCredentialsCredentials:
    """
    Attributes:
        key_id (str): The id of the key: ten capital letters and digits.
        team_id (str): The id of the Apple developer team: ten capital letters and digits.
        private_key (str): The text of Apple’s `.p8` file.
        environment (ApnsCredentialsCredentialsEnvironment | Unset): A key for `all` replaces all other keys of Apple.
            Default: 'all'.
        check (bool | Unset): False: stores them without asking the gateway whether it accepts them. Default: True.
    """

    key_id: str
    team_id: str
    private_key: str
    environment: ApnsCredentialsCredentialsEnvironment | Unset = "all"
    check: bool | Unset = True

    def to_dict(self) -> dict[str, Any]:
        key_id = self.key_id

        team_id = self.team_id

        private_key = self.private_key

        environment: str | Unset = UNSET
        if not isinstance(self.environment, Unset):
            environment = self.environment

        check = self.check

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "key_id": key_id,
                "team_id": team_id,
                "private_key": private_key,
            }
        )
        if environment is not UNSET:
            field_dict["environment"] = environment
        if check is not UNSET:
            field_dict["check"] = check

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        key_id = d.pop("key_id")

        team_id = d.pop("team_id")

        private_key = d.pop("private_key")

        _environment = d.pop("environment", UNSET)
        environment: ApnsCredentialsCredentialsEnvironment | Unset
        if isinstance(_environment, Unset):
            environment = UNSET
        else:
            environment = check_apns_credentials_credentials_environment(_environment)

        check = d.pop("check", UNSET)

        apns_credentials_credentials = cls(
            key_id=key_id,
            team_id=team_id,
            private_key=private_key,
            environment=environment,
            check=check,
        )

        return apns_credentials_credentials
