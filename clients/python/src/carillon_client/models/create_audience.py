from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.new_audience import NewAudience


T = TypeVar("T", bound="CreateAudience")


@_attrs_define
class CreateAudience:
    """
    Attributes:
        audience (NewAudience):
    """

    audience: NewAudience

    def to_dict(self) -> dict[str, Any]:
        audience = self.audience.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "audience": audience,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.new_audience import NewAudience

        d = dict(src_dict)
        audience = NewAudience.from_dict(d.pop("audience"))

        create_audience = cls(
            audience=audience,
        )

        return create_audience
