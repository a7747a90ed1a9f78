"""The sections of docs/api.md about audiences."""

from __future__ import annotations

from uuid import UUID

from carillon_client import Carillon, pages
from carillon_client.api.audiences import (
    count_audience,
    count_each_filter,
    create_audience,
    delete_audience,
    explain_device,
    list_audience_devices,
    list_audiences,
    read_audience,
)
from carillon_client.models import (
    CountAudience,
    CreateAudience,
    NewAudience,
    NumberFilter,
    NumberRange,
    TextFilter,
)
from show import show


def ask_about_audiences(carillon: Carillon, sent_to: str, device_id: UUID) -> None:
    audience_id = UUID(sent_to)
    show("Audiences > Read one", read_audience.sync(audience_id, client=carillon))
    show("Audiences > List them", list_audiences.sync(client=carillon, per=2))
    by_two = pages(lambda cursor: list_audiences.sync(client=carillon, per=2, cursor=cursor))
    names = [audience.name for page in by_two for audience in page.audiences]
    assert len(names) == len(list_audiences.sync(client=carillon, per=100).audiences) > 2

    visits = NumberFilter(name="custom.integer.visits", criteria=[NumberRange(gte=10)])
    frequent = NewAudience(name="Frequent visitors", filters=[visits])
    named = create_audience.sync(client=carillon, body=CreateAudience(frequent))
    show("Audiences > Name one", named)
    delete_audience.sync(named.audience.id, client=carillon)
    show("Audiences > Delete one", None)

    tagged = TextFilter(name="tags", criteria=["beta", "news"])
    french = TextFilter(name="locale", criteria=["fr_FR"], not_filter=True)
    show(
        "Audiences > Count without storing",
        count_audience.sync(client=carillon, body=CountAudience([tagged])),
    )
    show(
        "Audiences > Count each filter",
        count_each_filter.sync(client=carillon, body=CountAudience([tagged, french])),
    )

    every_page = pages(
        lambda cursor: list_audience_devices.sync(audience_id, client=carillon, cursor=cursor),
    )
    ids = [str(device.id) for page in every_page for device in page.devices]
    show("Audiences > List its devices", ids)
    show(
        "Audiences > Ask why a device is in or out",
        explain_device.sync(audience_id, device_id, client=carillon),
    )
