"""Take again the pictures of the console: `make guides`."""

from tests.e2e.ui import pictures

pictures.make()
