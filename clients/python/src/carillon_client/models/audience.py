from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.audience_audience import AudienceAudience


T = TypeVar("T", bound="Audience")


@_attrs_define
class Audience:
    """
    Attributes:
        audience (AudienceAudience):
    """

    audience: AudienceAudience

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
        from ..models.audience_audience import AudienceAudience

        d = dict(src_dict)
        audience = AudienceAudience.from_dict(d.pop("audience"))

        audience = cls(
            audience=audience,
        )

        return audience
