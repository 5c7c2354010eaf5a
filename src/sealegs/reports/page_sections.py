"""The sections of a suite's page, and the page that is put together from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sealegs.faults.user_error import UserError
from sealegs.reports.page_extra import extra

if TYPE_CHECKING:
    import jinja2

M = TypeVar("M")


@dataclass(frozen=True)
class PageSection(Generic[M]):
    """A section of a page.

    Attributes:
        name: unique on the page, where it is the section's anchor if others refer to it.
        template: what it is made with: one of our templates, or the path of a file.
        values: what the template is given, by name, of the page's material; nothing where the section is left out.
    """

    name: str
    template: str
    values: Callable[[M], Mapping[str, Any]]


def render_page(
    frame: str,
    head: Mapping[str, Any],
    sections: Sequence[PageSection[M]],
    material: M,
    templates: Callable[[], jinja2.Environment] | None = None,
) -> str:
    """The page.

    Args:
        frame: the template that the sections stand in. It is given the `sections` that are shown, and is to include the
            template of each; `present` are their names.
        head: what the frame is given besides, and every section with it.
        sections: of the page, in their order.
        material: what the page tells of.
        templates: where the templates are; those of this room by default.

    Raises:
        MissingExtra: what pages are made with is not installed.
        UserError: a section names a template that is not there.
    """
    with extra():
        from jinja2 import TemplateNotFound

        from sealegs.reports.templating import environment

        found = [(section, section.values(material)) for section in sections]
        source = (templates or environment)()
    given = dict(head)
    for _, values in found:
        given |= values
    shown = [section for section, values in found if values]
    present = {section.name for section in shown}
    try:
        return source.get_template(frame).render(given, sections=shown, present=present)
    except TemplateNotFound as error:
        raise UserError(
            f"there is no template {error.name}; a section names one of Sealegs's, or the whole path of a file"
        ) from error
