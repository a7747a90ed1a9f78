from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.app_app import AppApp


T = TypeVar("T", bound="App")


@_attrs_define
class App:
    """
    Attributes:
        app (AppApp):
    """

    app: AppApp

    def to_dict(self) -> dict[str, Any]:
        app = self.app.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "app": app,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.app_app import AppApp

        d = dict(src_dict)
        app = AppApp.from_dict(d.pop("app"))

        app = cls(
            app=app,
        )

        return app
