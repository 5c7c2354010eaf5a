"""Golden text: a query, the function that it makes, and the function's parameters, one a line."""

from sealegs.world.sql.parametrised_queries import parametrise
from sealegs.world.sql.parsing import parse
from sealegs.world.sql.schema import Schema


def golden_text(query: str, schema: Schema) -> str:
    """What stands in the golden file for a query."""
    found = parametrise(parse(query, schema), schema)
    lines = [query, f"  {found.sql}"]
    for slot in found.slots:
        column = f" of {slot.column.table}.{slot.column.name}" if slot.column else ""
        pattern = ", in a pattern" if slot.pattern else ""
        lines.append(f"  {slot.name}: {slot.type} {slot.value!r}{column}{pattern}")
    return "\n".join(lines)
