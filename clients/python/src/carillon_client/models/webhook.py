from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.webhook_webhook import WebhookWebhook


T = TypeVar("T", bound="Webhook")


@_attrs_define
class Webhook:
    """
    Attributes:
        webhook (WebhookWebhook):
    """

    webhook: WebhookWebhook

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
        from ..models.webhook_webhook import WebhookWebhook

        d = dict(src_dict)
        webhook = WebhookWebhook.from_dict(d.pop("webhook"))

        webhook = cls(
            webhook=webhook,
        )

        return webhook
