"""Reads PDF by pypdf (the `docs` extra): the text layer, page by page; pictures of text are not read."""

from __future__ import annotations

import io
import logging
import re

from upheld.corpus import text as plain_text
from upheld.corpus.blocks import MAX_TEXT_CHARS, Page, fit
from upheld.errors import Invalid, Misconfigured

MAX_PAGES = 5000

_HYPHEN = re.compile(r"(?<=[a-z])-\n(?=[a-z])")


def read(raw: bytes) -> Page:
    """The page of a PDF. Raises `Misconfigured` without the extra, `Invalid` for what is damaged or encrypted."""
    try:
        import pypdf
    except ImportError:
        raise Misconfigured("PDF needs an extra: pip install 'upheld[docs]'") from None
    # It reports each oddity of a file as a warning; what matters comes as an error.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    pages: list[str] = []
    try:
        file = pypdf.PdfReader(io.BytesIO(raw))
        if file.is_encrypted:
            raise Invalid("the PDF is encrypted; save it without a password")
        if len(file.pages) > MAX_PAGES:
            raise Invalid(f"the PDF has more than {MAX_PAGES:,} pages; split it")
        left = MAX_TEXT_CHARS
        for page in file.pages:
            said = fit(page.extract_text())
            pages.append(said.strip())
            left -= len(said)
            if left < 0:
                raise Invalid(f"the PDF holds more than {MAX_TEXT_CHARS:,} characters; split it")
        title = file.metadata.title if file.metadata else None
    except Invalid:
        raise
    except Exception as error:  # noqa: BLE001 - hostile files reach every corner of a parser that is not ours
        raise Invalid(f"the PDF is damaged: {type(error).__name__}: {str(error)[:200]}") from None
    found = plain_text.read(_HYPHEN.sub("", "\n\n".join(filter(None, pages))))
    return Page(text=found.text, blocks=found.blocks, head={"title": title} if title else {})
