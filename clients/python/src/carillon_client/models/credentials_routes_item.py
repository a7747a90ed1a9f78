from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.credentials_routes_item_credentials_type_0 import (
    CredentialsRoutesItemCredentialsType0,
    check_credentials_routes_item_credentials_type_0,
)
from ..models.credentials_routes_item_route import (
    CredentialsRoutesItemRoute,
    check_credentials_routes_item_route,
)

if TYPE_CHECKING:
    from ..models.credentials_routes_item_last_refusal_type_0 import (
        CredentialsRoutesItemLastRefusalType0,
    )
    from ..models.credentials_routes_item_pause_type_0 import (
        CredentialsRoutesItemPauseType0,
    )


T = TypeVar("T", bound="CredentialsRoutesItem")


@_attrs_define
class CredentialsRoutesItem:
    """
    Attributes:
        route (CredentialsRoutesItemRoute):
        credentials (CredentialsRoutesItemCredentialsType0 | None): The environment of the stored credentials that it
            uses; null if it has none.
        works (bool): Whether a push was ever accepted with these credentials.
        pause (CredentialsRoutesItemPauseType0 | None): Why nothing is sent on it; null if it is not paused.
        last_refusal (CredentialsRoutesItemLastRefusalType0 | None): The last refusal of credentials among the newest
            200 notifications.
    """

    route: CredentialsRoutesItemRoute
    credentials: CredentialsRoutesItemCredentialsType0 | None
    works: bool
    pause: CredentialsRoutesItemPauseType0 | None
    last_refusal: CredentialsRoutesItemLastRefusalType0 | None

    def to_dict(self) -> dict[str, Any]:
        from ..models.credentials_routes_item_last_refusal_type_0 import (
            CredentialsRoutesItemLastRefusalType0,
        )
        from ..models.credentials_routes_item_pause_type_0 import (
            CredentialsRoutesItemPauseType0,
        )

        route: str = self.route

        credentials: None | str
        if isinstance(self.credentials, str):
            credentials = self.credentials
        else:
            credentials = self.credentials

        works = self.works

        pause: dict[str, Any] | None
        if isinstance(self.pause, CredentialsRoutesItemPauseType0):
            pause = self.pause.to_dict()
        else:
            pause = self.pause

        last_refusal: dict[str, Any] | None
        if isinstance(self.last_refusal, CredentialsRoutesItemLastRefusalType0):
            last_refusal = self.last_refusal.to_dict()
        else:
            last_refusal = self.last_refusal

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "route": route,
                "credentials": credentials,
                "works": works,
                "pause": pause,
                "last_refusal": last_refusal,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.credentials_routes_item_last_refusal_type_0 import (
            CredentialsRoutesItemLastRefusalType0,
        )
        from ..models.credentials_routes_item_pause_type_0 import (
            CredentialsRoutesItemPauseType0,
        )

        d = dict(src_dict)
        route = check_credentials_routes_item_route(d.pop("route"))

        def _parse_credentials(
            data: object,
        ) -> CredentialsRoutesItemCredentialsType0 | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                credentials_type_0 = check_credentials_routes_item_credentials_type_0(
                    data
                )

                return credentials_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(CredentialsRoutesItemCredentialsType0 | None, data)

        credentials = _parse_credentials(d.pop("credentials"))

        works = d.pop("works")

        def _parse_pause(data: object) -> CredentialsRoutesItemPauseType0 | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                pause_type_0 = CredentialsRoutesItemPauseType0.from_dict(data)

                return pause_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(CredentialsRoutesItemPauseType0 | None, data)

        pause = _parse_pause(d.pop("pause"))

        def _parse_last_refusal(
            data: object,
        ) -> CredentialsRoutesItemLastRefusalType0 | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                last_refusal_type_0 = CredentialsRoutesItemLastRefusalType0.from_dict(
                    data
                )

                return last_refusal_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(CredentialsRoutesItemLastRefusalType0 | None, data)

        last_refusal = _parse_last_refusal(d.pop("last_refusal"))

        credentials_routes_item = cls(
            route=route,
            credentials=credentials,
            works=works,
            pause=pause,
            last_refusal=last_refusal,
        )

        return credentials_routes_item
