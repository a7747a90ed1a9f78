"""The sections of docs/api.md about audiences."""

from __future__ import annotations

from carillon_client import Carillon, pages
from carillon_client.types import NumberFilter, TextFilter
from show import show


def ask_about_audiences(carillon: Carillon, audience_id: str, device_id: str) -> None:
    show("Audiences > Read one", carillon.read_audience(audience_id))
    show("Audiences > List them", carillon.list_audiences(per=2))
    by_two = pages(lambda cursor: carillon.list_audiences(per=2, cursor=cursor))
    names = [audience["name"] for page in by_two for audience in page["audiences"]]
    assert len(names) == len(carillon.list_audiences(per=100)["audiences"]) > 2

    visits: NumberFilter = {"name": "custom.integer.visits", "criteria": [{"gte": 10}]}
    named = carillon.create_audience({"name": "Frequent visitors", "filters": [visits]})
    show("Audiences > Name one", named)
    carillon.delete_audience(named["audience"]["id"])
    show("Audiences > Delete one", None)

    tagged: TextFilter = {"name": "tags", "criteria": ["beta", "news"]}
    french: TextFilter = {"name": "locale", "criteria": ["fr_FR"], "not_filter": True}
    show("Audiences > Count without storing", carillon.count_audience([tagged]))
    show("Audiences > Count each filter", carillon.count_each_filter([tagged, french]))

    every_page = pages(lambda cursor: carillon.list_audience_devices(audience_id, cursor=cursor))
    show("Audiences > List its devices", [device["id"] for page in every_page for device in page["devices"]])
    show("Audiences > Ask why a device is in or out", carillon.explain_device(audience_id, device_id))
