from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.apns_credentials_credentials import ApnsCredentialsCredentials


T = TypeVar("T", bound="ApnsCredentials")


@_attrs_define
class ApnsCredentials:
    """
    Attributes:
        credentials (ApnsCredentialsCredentials):
    """

    credentials: ApnsCredentialsCredentials

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
        from ..models.apns_credentials_credentials import ApnsCredentialsCredentials

        d = dict(src_dict)
        credentials = ApnsCredentialsCredentials.from_dict(d.pop("credentials"))

        apns_credentials = cls(
            credentials=credentials,
        )

        return apns_credentials
