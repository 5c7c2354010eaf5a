"""Facts of the iot domain: one office building in each city, its rooms, its devices and their measurements.

A building is written down; its devices follow from its rooms by rule, and their measurements are a smooth function of
place and day with a fixed scatter, so that a reading, a day's mean and a meter's total always agree. Times are the
building's own. Changes of an episode (set points) are not here; the rights to open doors are in `doors`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from hashlib import blake2b

from sealegs.world.general.facts import CITIES, city
from sealegs.world.state import NOW, TODAY, identifier
from sealegs.world.tool import Refusal


@dataclass(frozen=True, slots=True)
class Site:
    """An office building. `load` is its mean electrical load in kW on a working day, `dust` its usual indoor PM2.5."""

    code: str
    city: str
    name: str
    load: float
    dust: float
    opened: str

    @property
    def id(self) -> str:
        """Its identifier, such as SITE-LIS."""
        return f"SITE-{self.code}"


SITES = {
    site.city: site
    for site in (
        Site("LIS", "Lisbon", "Cais House", 38.4, 6.8, "2014-05-12"),
        Site("BER", "Berlin", "Spreehof", 61.7, 7.9, "2011-09-01"),
        Site("TYO", "Tokyo", "Kaede Building", 94.2, 8.6, "2017-04-03"),
        Site("BJS", "Beijing", "Willow Court", 102.5, 31.2, "2016-10-17"),
        Site("NYC", "New York", "Harbor Exchange", 118.9, 7.4, "2008-03-25"),
        Site("LON", "London", "Tallow Yard", 87.3, 8.8, "2010-06-14"),
        Site("PAR", "Paris", "Atelier Nord", 72.8, 10.4, "2013-01-21"),
        Site("MAD", "Madrid", "Casa Encina", 55.6, 9.1, "2015-02-09"),
        Site("ROM", "Rome", "Palazzo Tiglio", 49.3, 11.6, "2012-11-05"),
        Site("VIE", "Vienna", "Lindenhof", 44.7, 9.7, "2018-08-20"),
        Site("ZRH", "Zurich", "Seefeld Works", 41.9, 6.1, "2019-03-11"),
        Site("STO", "Stockholm", "Norrbacka", 47.5, 4.7, "2015-09-28"),
        Site("YTO", "Toronto", "Maple Landing", 66.1, 6.4, "2016-05-30"),
        Site("SFO", "San Francisco", "Fogline Center", 79.6, 8.2, "2012-07-16"),
        Site("CHI", "Chicago", "Prairie Tower", 91.4, 9.4, "2009-10-12"),
        Site("SYD", "Sydney", "Wattle Quay", 68.2, 5.3, "2018-02-26"),
        Site("SIN", "Singapore", "Orchid Point", 112.6, 12.3, "2017-01-09"),
        Site("BOM", "Mumbai", "Banyan Court", 98.8, 36.5, "2019-06-24"),
        Site("DXB", "Dubai", "Creekside Hub", 134.1, 28.7, "2020-01-13"),
        Site("SEL", "Seoul", "Hanok Plaza", 84.5, 18.9, "2014-11-24"),
        Site("MEX", "Mexico City", "Patio Jacaranda", 58.3, 21.4, "2016-03-07"),
        Site("CPT", "Cape Town", "Signal Wharf", 52.4, 7.1, "2018-10-15"),
    )
}

# Room: floor, usual temperature in Celsius, and its devices.
ROOMS: dict[str, tuple[int, float, tuple[str, ...]]] = {
    "Reception": (0, 20.6, ("thermostat", "climate_sensor", "light", "light", "door_lock")),
    "Open Office": (
        1,
        22.4,
        ("thermostat", "thermostat", "climate_sensor", "light", "light", "light", "blind", "blind"),
    ),
    "Boardroom": (2, 21.5, ("thermostat", "climate_sensor", "light", "blind", "door_lock")),
    "Server Room": (3, 19.2, ("thermostat", "climate_sensor", "light", "door_lock")),
    "Plant Room": (0, 17.3, ("energy_meter", "climate_sensor", "light", "door_lock")),
}

PREFIXES = {
    "thermostat": "THM",
    "climate_sensor": "CLS",
    "light": "LGT",
    "blind": "BLD",
    "door_lock": "LCK",
    "energy_meter": "MTR",
}
MODELS = {
    "thermostat": "Isotherm T4",
    "climate_sensor": "Aerolog C2",
    "light": "Lumenode 8",
    "blind": "Shadeline M1",
    "door_lock": "Boltkeep 300",
    "energy_meter": "Wattrow 3P",
}
UNITS = {"temperature": "celsius", "humidity": "percent", "co2": "ppm", "pm2_5": "ug/m3", "power": "kW"}
DECIMALS = {"temperature": 1, "humidity": 1, "co2": 0, "pm2_5": 1, "power": 2}
MEASURED = {
    "thermostat": ("temperature", "humidity"),
    "climate_sensor": ("temperature", "humidity", "co2", "pm2_5"),
    "energy_meter": ("power",),
}
PROPERTIES = {"thermostat": "temperature", "light": "brightness", "blind": "position"}
PROPERTY_UNITS = {"temperature": "celsius", "brightness": "percent", "position": "percent"}


@dataclass(frozen=True, slots=True)
class Device:
    """A device in a room of a building. `minutes` is how long ago, at 09:00, it last reported."""

    id: str
    type: str
    site: Site
    room: str
    zone: int
    minutes: int
    installed: str

    @property
    def property(self) -> str:
        """The property that can be set on it.

        Raises:
            Refusal: 400 where nothing can.
        """
        if self.type not in PROPERTIES:
            raise Refusal(400, "NotSettable", f"{self.id} is a {self.type}; it has no state that can be set.")
        return PROPERTIES[self.type]


def scatter(*parts: object) -> float:
    """A fixed number in [-1, 1) for these parts."""
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "big") / 2**31 - 1


def _device(site: Site, room: str, type: str, zone: int) -> Device:
    serial = identifier("", site.code, room, type, zone)[-4:]
    installed = date.fromisoformat(site.opened) + timedelta(
        days=40 + int(30 * (1 + scatter(site.code, room, type, zone)))
    )
    minutes = 5 + int(4 * scatter("report", site.code, room, type, zone))
    return Device(f"{PREFIXES[type]}-{site.code}-{serial}", type, site, room, zone, minutes, installed.isoformat())


def _devices() -> dict[str, Device]:
    found: dict[str, Device] = {}
    for site in SITES.values():
        for room, (_, _, types) in ROOMS.items():
            for place, type in enumerate(types):
                device = _device(site, room, type, 1 + types[:place].count(type))
                if device.id in found:
                    raise ValueError(f"two devices are named {device.id}")
                found[device.id] = device
    return found


DEVICES = _devices()


def site_in(name: str) -> Site:
    """The building in the named city.

    Raises:
        Refusal: 404 where the city is unknown or has no building.
    """
    place = city(name)
    if place.name not in SITES:
        raise Refusal(404, "SiteNotFound", f"There is no building in {place.name}.")
    return SITES[place.name]


def room_of(site: Site, name: str) -> str:
    """The room's own spelling.

    Raises:
        Refusal: 404 with the rooms that there are.
    """
    for room in ROOMS:
        if room.casefold() == name.strip().casefold():
            return room
    raise Refusal(404, "RoomNotFound", f"{site.name} has no room named {name!r}.", rooms=list(ROOMS))


def devices_in(site: Site, room: str, type: str) -> list[Device]:
    """The devices of a type in a room, by zone.

    Raises:
        Refusal: 404 where there is none.
    """
    found = [d for d in DEVICES.values() if (d.site, d.room, d.type) == (site, room, type)]
    if not found:
        present = sorted({d.type for d in DEVICES.values() if (d.site, d.room) == (site, room)})
        raise Refusal(404, "DeviceNotFound", f"There is no {type} in {room}, {site.name}.", device_types=present)
    return found


def device(id: str, type: str | None = None) -> Device:
    """The device of this id.

    Args:
        id: as `find_devices` gives it.
        type: the type that it must be of, where only one will do.

    Raises:
        Refusal: 404 where there is none, 400 where it is of another type.
    """
    found = DEVICES.get(id)
    if found is None:
        raise Refusal(404, "DeviceNotFound", f"No device has the id {id!r}.")
    if type is not None and found.type != type:
        raise Refusal(400, "WrongDeviceType", f"{id} is a {found.type}, not a {type}.", device_type=found.type)
    return found


def measures(thing: Device, quantity: str) -> None:
    """Refuse a quantity that the device does not measure.

    Raises:
        Refusal: 400 with the quantities that it does measure.
    """
    available = MEASURED.get(thing.type, ())
    if quantity not in available:
        message = f"{thing.id} is a {thing.type}; it does not measure {quantity}."
        raise Refusal(400, "QuantityNotMeasured", message, quantities=list(available))


def latest(thing: Device, quantity: str) -> float:
    """The value that the device last reported, in the unit of `UNITS`."""
    value = _level(thing, quantity) + _spread(quantity) * scatter("now", thing.site.code, thing.room, quantity)
    return round(value, DECIMALS[quantity])


def calibration(thing: Device, quantity: str) -> float:
    """The correction that calibration adds to the device's raw value, in the quantity's own unit."""
    return round(0.6 * _spread(quantity) * scatter("calibration", thing.id, quantity), DECIMALS[quantity])


def reported_at(thing: Device) -> str:
    """The moment of the device's last report."""
    return (datetime.fromisoformat(NOW) - timedelta(minutes=thing.minutes)).isoformat()


def received_at(thing: Device) -> str:
    """The moment when that report arrived."""
    delay = 9 + int(8 * scatter("delay", thing.id))
    return (datetime.fromisoformat(reported_at(thing)) + timedelta(seconds=delay)).isoformat()


def day_mean(thing: Device, quantity: str, day: str) -> float:
    """The mean of the quantity over a day that has passed, unrounded."""
    if quantity == "power":
        return day_energy(thing.site, day) / 24
    return _level(thing, quantity) + _spread(quantity) * scatter(day, thing.site.code, thing.room, quantity)


def day_energy(site: Site, day: str) -> float:
    """The building's consumption in kWh on a day that has passed, to 0.1 kWh as its meter counts."""
    share = 0.46 if date.fromisoformat(day).weekday() >= 5 else 1.0
    return round(24 * site.load * share * (1 + 0.09 * scatter("energy", site.code, day)), 1)


def meter_register(site: Site) -> float:
    """The reading of the building's meter when today began, in kWh."""
    return round(site.load * (21_000 + 9_000 * scatter("register", site.code)), 1)


def days_before_today(count: int) -> list[str]:
    """The last complete days, oldest first."""
    today = date.fromisoformat(TODAY)
    return [(today - timedelta(days=back)).isoformat() for back in range(count, 0, -1)]


def standing_target(thing: Device) -> float:
    """The set point that a device has at the start of an episode: Celsius in halves, or per cent in fives."""
    draw = scatter("target", thing.site.code, thing.room, thing.type, thing.zone)
    if thing.type == "thermostat":
        return round(2 * (ROOMS[thing.room][1] + 1.4 * draw)) / 2
    return float(5 * round(10 + 8 * draw))


def standing_version(thing: Device) -> int:
    """The number of times that the device's state was set before the episode."""
    return 240 + int(200 * scatter("version", thing.id))


def setpoint_limits(thing: Device) -> tuple[float, float]:
    """Lowest and highest set point: Celsius for a thermostat (tight in server rooms), else per cent."""
    if thing.type != "thermostat":
        return 0.0, 100.0
    return (16.0, 24.0) if thing.room == "Server Room" else (10.0, 30.0)


def _level(thing: Device, quantity: str) -> float:
    site = thing.site
    bias = scatter("level", site.code, thing.room, quantity)
    usual = {
        "temperature": ROOMS[thing.room][1] + bias,
        "humidity": 42 + 0.08 * (50 - abs(CITIES[site.city.casefold()].latitude)) + 5 * bias,
        "co2": 640 + 130 * bias,
        "pm2_5": site.dust * (1 + 0.15 * bias),
        "power": 1.12 * site.load,
    }
    return usual[quantity]


def _spread(quantity: str) -> float:
    return {"temperature": 0.7, "humidity": 3.0, "co2": 90.0, "pm2_5": 0.6, "power": 1.6}[quantity]
