from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.fcm_credentials_credentials_service_account import (
        FcmCredentialsCredentialsServiceAccount,
    )


T = TypeVar("T", bound="FcmCredentialsCredentials")


@_attrs_define
class FcmCredentialsCredentials:
    """
    Attributes:
        service_account (FcmCredentialsCredentialsServiceAccount | Unset): The JSON of the file that Google makes for a
            key of the account.
        project_id (str | Unset): Instead of a key: the Firebase project for which the identity of the processes is
            used.
        check (bool | Unset): False: stores them without asking the gateway whether it accepts them. Default: True.
    """

    service_account: FcmCredentialsCredentialsServiceAccount | Unset = UNSET
    project_id: str | Unset = UNSET
    check: bool | Unset = True

    def to_dict(self) -> dict[str, Any]:
        service_account: dict[str, Any] | Unset = UNSET
        if not isinstance(self.service_account, Unset):
            service_account = self.service_account.to_dict()

        project_id = self.project_id

        check = self.check

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if service_account is not UNSET:
            field_dict["service_account"] = service_account
        if project_id is not UNSET:
            field_dict["project_id"] = project_id
        if check is not UNSET:
            field_dict["check"] = check

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.fcm_credentials_credentials_service_account import (
            FcmCredentialsCredentialsServiceAccount,
        )

        d = dict(src_dict)
        _service_account = d.pop("service_account", UNSET)
        service_account: FcmCredentialsCredentialsServiceAccount | Unset
        if isinstance(_service_account, Unset):
            service_account = UNSET
        else:
            service_account = FcmCredentialsCredentialsServiceAccount.from_dict(
                _service_account
            )

        project_id = d.pop("project_id", UNSET)

        check = d.pop("check", UNSET)

        fcm_credentials_credentials = cls(
            service_account=service_account,
            project_id=project_id,
            check=check,
        )

        return fcm_credentials_credentials
