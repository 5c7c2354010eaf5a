"""Firmware of devices: brought up to date at once, or a package that is staged first and applied then.

Both ways download the newest version of the device's model and install it, which takes the device a few minutes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Invariant, Known, Ordered, Requires
from sealegs.world.iot.device_arguments import DeviceId
from sealegs.world.iot.facts import DEVICES, MODELS, Device, device, scatter
from sealegs.world.state import NOW, identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

# Model: newest version, the two before, size in MB.
RELEASES = {
    "Isotherm T4": ("4.12.0", "4.11.2", "4.9.7", 8.4),
    "Aerolog C2": ("2.6.3", "2.6.1", "2.5.0", 5.2),
    "Lumenode 8": ("8.1.4", "8.1.0", "7.9.9", 3.1),
    "Shadeline M1": ("1.9.2", "1.8.8", "1.8.5", 2.7),
    "Boltkeep 300": ("3.30.1", "3.29.4", "3.27.0", 11.9),
    "Wattrow 3P": ("5.0.8", "5.0.5", "4.8.1", 6.6),
}
NEWEST = {model: release[0] for model, release in RELEASES.items()}
SECONDS_PER_MB = 24


@dataclass(frozen=True, slots=True)
class Package:
    """A downloaded version for one device."""

    id: str
    device: str
    version: str


def _running(thing: Device) -> str:
    """The version that a device runs when an episode begins; one in eight is up to date."""
    draw = scatter("firmware", thing.id)
    return str(RELEASES[MODELS[thing.type]][0 if draw > 0.75 else 1 if draw > -0.3 else 2])


def _package(thing: Device) -> Package:
    version = NEWEST[MODELS[thing.type]]
    return Package(identifier("FWP", thing.id, version), thing.id, version)


OUTDATED = tuple(d for d in DEVICES.values() if _running(d) != NEWEST[MODELS[d.type]])
UP_TO_DATE = next(d for d in DEVICES.values() if d not in OUTDATED)
STAGED = {package.id: package for package in map(_package, OUTDATED[9 : len(OUTDATED) : 61])}


def _download(world: World, thing: Device) -> Package:
    """The newest package for a device, with an effect where it was not downloaded yet.

    Raises:
        Refusal: 409 where the device runs that version.
    """
    package = _package(thing)
    if package.version in (_running(thing), world.state("iot.firmware").get(thing.id)):
        raise Refusal(409, "UpToDate", f"{thing.id} runs {package.version}, the newest.", version=package.version)
    staged = world.state("iot.packages")
    if package.id not in STAGED and package.id not in staged:
        staged[package.id] = package
        world.effect("download_firmware", thing.id, version=package.version)
    return package


def _seconds(size_mb: float) -> int:
    return ceil(round(size_mb * SECONDS_PER_MB, 6))


def _install(world: World, package: Package) -> dict[str, Any]:
    """Install a package; the job as both interfaces tell it.

    Raises:
        Refusal: 409 where it is installed already.
    """
    thing = device(package.device)
    installed = world.state("iot.firmware")
    if installed.get(thing.id) == package.version:
        raise Refusal(409, "UpToDate", f"{thing.id} runs {package.version} already.", version=package.version)
    installed[thing.id] = package.version
    world.effect("install_firmware", thing.id, version=package.version)
    size = float(RELEASES[MODELS[thing.type]][3])
    return {
        "job_id": identifier("FWJ", thing.id, package.version),
        "device_id": thing.id,
        "model": MODELS[thing.type],
        "previous_version": _running(thing),
        "version": package.version,
        "size_mb": size,
        "downtime_seconds": _seconds(size),
        "starts_at": NOW,
        "back_at": (datetime.fromisoformat(NOW) + timedelta(seconds=_seconds(size))).isoformat(),
        "status": "installing",
    }


class FirmwareJob(Answer):
    """An installation of firmware."""

    job_id: str = Field(description="Id of the installation")
    device_id: str = Field(description="Id of the device")
    model: str = Field(description="Its model")
    previous_version: str = Field(description="Version that it ran")
    version: str = Field(description="Version that is installed, the newest of the model")
    size_mb: float = Field(description="Size of the package")
    downtime_seconds: int = Field(description="How long the device does not answer")
    starts_at: str = Field(description="When the installation began")
    back_at: str = Field(description="When the device answers again")
    status: str = Field(description="installing")


JOB: tuple[Invariant, ...] = (
    Requires("job_id", "status", "installing"),
    Requires("device_id", "status", "installing"),
    Requires("previous_version", "status", "installing"),
    Known("version", "model", NEWEST),
    Requires("model", "status", "installing"),
    Formula("downtime_seconds", ("size_mb",), _seconds, "downtime_seconds follow from size_mb"),
    Bounds("size_mb", 0, 500),
    Bounds("downtime_seconds", 1, 12_000),
    Ordered("starts_at", "back_at"),
)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="maintenance_history",
    parts=2,
    answer=FirmwareJob,
    examples=tuple({"device_id": thing.id} for thing in OUTDATED[4 : len(OUTDATED) : 83]),
    refusals=(
        ({"device_id": "THM-LIS-0000"}, 404),
        ({"device_id": UP_TO_DATE.id}, 409),
        ({"device_id": "thermostat"}, 422),
    ),
    echoes=("device_id",),
    invariants=JOB,
)
def update_device_firmware(world: World, device_id: DeviceId) -> dict[str, Any]:
    """Bring a device's firmware up to date now: downloads the newest version of its model and installs it."""
    return _install(world, _download(world, device(device_id)))


class StagedFirmware(Answer):
    """A package that is downloaded and not installed yet."""

    package_id: str = Field(description="Id of the package, which its installation takes")
    device_id: str = Field(description="Id of the device")
    model: str = Field(description="Its model")
    running_version: str = Field(description="Version that the device runs")
    version: str = Field(description="Version of the package, the newest of the model")
    size_mb: float = Field(description="Size of the package")
    downtime_seconds: int = Field(description="How long its installation will take")
    state: str = Field(description="staged")


@simulated_tool(
    category="action",
    repeat="no_effect",
    shown_by="maintenance_history",
    answer=StagedFirmware,
    examples=tuple({"device_id": thing.id} for thing in OUTDATED[4 : len(OUTDATED) : 83]),
    refusals=(
        ({"device_id": "THM-LIS-0000"}, 404),
        ({"device_id": UP_TO_DATE.id}, 409),
        ({"device_id": "thermostat"}, 422),
    ),
    echoes=("device_id",),
    invariants=(
        Requires("package_id", "state", "staged"),
        Requires("running_version", "state", "staged"),
        Known("version", "model", NEWEST),
        Formula("downtime_seconds", ("size_mb",), _seconds, "downtime_seconds follow from size_mb"),
        Bounds("size_mb", 0, 500),
    ),
)
def stage_firmware_package(world: World, device_id: DeviceId) -> dict[str, Any]:
    """Download the newest firmware for a device and stage it there. The device runs on until the package is applied."""
    thing = device(device_id)
    package = _download(world, thing)
    size = float(RELEASES[MODELS[thing.type]][3])
    return {
        "package_id": package.id,
        "device_id": thing.id,
        "model": MODELS[thing.type],
        "running_version": _running(thing),
        "version": package.version,
        "size_mb": size,
        "downtime_seconds": _seconds(size),
        "state": "staged",
    }


class AppliedFirmware(FirmwareJob):
    """An installation of a staged package."""

    package_id: str = Field(description="Id of the package")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="maintenance_history",
    answer=AppliedFirmware,
    examples=tuple({"package_id": id} for id in STAGED),
    refusals=(({"package_id": "FWP-00000000"}, 404), ({"package_id": "newest"}, 422)),
    echoes=("package_id",),
    invariants=JOB,
)
def apply_firmware_package(
    world: World,
    package_id: Annotated[str, Field(pattern=r"^FWP-[0-9A-F]{8}$", description="Id of a staged package")],
) -> dict[str, Any]:
    """Apply a staged firmware package: its device installs it now and does not answer for some minutes."""
    package = {**STAGED, **world.state("iot.packages")}.get(package_id)
    if package is None:
        raise Refusal(404, "PackageNotFound", f"No staged package has the id {package_id!r}.")
    return {**_install(world, package), "package_id": package_id}
