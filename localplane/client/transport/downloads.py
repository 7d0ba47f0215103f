"""A file from an HTTP server, to its last byte: half a manifest is another manifest."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request

from localplane.tls.contexts import verifying


def download(url: str, *, limit: int) -> bytes:
    """Raises urllib.error.HTTPError, and URLError for whatever else goes wrong. `limit` is in bytes."""
    try:
        with urllib.request.urlopen(url, context=verifying()) as answer:  # noqa: S310 - callers pass http and https only
            content: bytes = answer.read(limit + 1)
            length = answer.headers.get("Content-Length")
            is_chunked = "Transfer-Encoding" in answer.headers
    except http.client.HTTPException as error:
        raise urllib.error.URLError("unexpected EOF") from error
    except urllib.error.URLError:
        raise
    except OSError as error:
        raise urllib.error.URLError(error) from error
    if len(content) > limit:
        raise urllib.error.URLError(f"the answer is larger than {limit} bytes")
    is_cut = length is not None and length.isdecimal() and len(content) < int(length)
    if is_cut or not (content or length or is_chunked):  # Python takes half a head for a whole one
        raise urllib.error.URLError("unexpected EOF")
    return content
