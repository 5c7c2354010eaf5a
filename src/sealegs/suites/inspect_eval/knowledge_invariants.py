"""Invariants as a knowledge file writes them: the kernel's own, each by its name with its own settings.

```yaml
invariants:
  - echo: {argument: order_id, field: order_id}
  - one_of: {field: status, allowed: [pending, delivered], wrong: [lost]}
  - sums: {field: total_due, parts: [line_items.amount]}
```
There is no `Formula`, since it needs a function.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import RootModel, TypeAdapter, ValidationError, model_validator

from sealegs.faults.invariants import Bounds, Counts, Echo, Invariant, Known, Mean, OneOf, Ordered, Requires, Sums

FORMS: Mapping[str, type[Invariant]] = {
    "bounds": Bounds,
    "counts": Counts,
    "echo": Echo,
    "known": Known,
    "mean": Mean,
    "one_of": OneOf,
    "ordered": Ordered,
    "requires": Requires,
    "sums": Sums,
}


class InvariantSettings(RootModel[Mapping[str, Mapping[str, Any]]]):
    """One invariant: `{NAME: {SETTING: VALUE, ...}}`."""

    @model_validator(mode="after")
    def _is_one(self) -> InvariantSettings:
        if len(self.root) != 1 or next(iter(self.root)) not in FORMS:
            raise ValueError(f"should be one of {', '.join(FORMS)} with its settings")
        self.invariant()
        return self

    def invariant(self) -> Invariant:
        """The invariant as the kernel takes it.

        Raises:
            ValueError: a setting is unknown, missing or of another type.
        """
        ((name, settings),) = self.root.items()
        form = FORMS[name]
        known = [one.name for one in dataclasses.fields(form)]  # type: ignore[arg-type]
        strange = [one for one in settings if one not in known]
        if strange:
            raise ValueError(f"{name} has no setting {', '.join(map(repr, strange))}; it has {', '.join(known)}")
        try:
            return _adapter(form).validate_python(dict(settings))
        except ValidationError as error:
            wrong = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
            raise ValueError(f"{name}: {wrong}") from None


@cache
def _adapter(form: type[Invariant]) -> TypeAdapter[Invariant]:
    return TypeAdapter(form)
