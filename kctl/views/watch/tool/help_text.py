"""What `?` shows: in lines that a terminal of forty columns has room for."""

from __future__ import annotations

HINT = "? keys  / filter  enter YAML  d describe  : kind  n namespace  q end"
KEYS = """\
Moving
  up down, j k   one row
  page-up/down   a screen, also space
  home end, g G  first and last row
  left right     columns that don't fit

What is shown
  /              filter as you type:
                 every word, no !word
  < >            sort by another column
  r              the other way round
  :              another kind: po,deploy
  n              namespace, or all
  esc, b         back: from the filter,
                 or to where you were

The object under the cursor
  enter, y       YAML
  d              describe
  e              events
  h              history (kctl up)
  l              logs, as they come
  o              go to its owner
  w              what it owns
  s              scale: asks how many
  D, delete      delete: asks first

  Ctrl-L         draw anew
  Ctrl-Z         pause
  q, Ctrl-C      end; the table stays
"""
