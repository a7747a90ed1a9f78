from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.created_webhook_webhook import CreatedWebhookWebhook


T = TypeVar("T", bound="CreatedWebhook")


@_attrs_define
class CreatedWebhook:
    """
    Attributes:
        webhook (CreatedWebhookWebhook):
    """

    webhook: CreatedWebhookWebhook

    def to_dict(self) -> dict[str, Any]:
        webhook = self.webhook.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "webhook": webhook,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.created_webhook_webhook import CreatedWebhookWebhook

        d = dict(src_dict)
        webhook = CreatedWebhookWebhook.from_dict(d.pop("webhook"))

        created_webhook = cls(
            webhook=webhook,
        )

        return created_webhook
