from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.fcm_credentials_credentials import FcmCredentialsCredentials


T = TypeVar("T", bound="FcmCredentials")


@_attrs_define
class FcmCredentials:
    """
    Attributes:
        credentials (FcmCredentialsCredentials):
    """

    credentials: FcmCredentialsCredentials

    def to_dict(self) -> dict[str, Any]:
        credentials = self.credentials.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "credentials": credentials,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.fcm_credentials_credentials import FcmCredentialsCredentials

        d = dict(src_dict)
        credentials = FcmCredentialsCredentials.from_dict(d.pop("credentials"))

        fcm_credentials = cls(
            credentials=credentials,
        )

        return fcm_credentials
