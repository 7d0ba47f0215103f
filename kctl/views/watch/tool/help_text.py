"""What `?` shows."""

from __future__ import annotations

HINT = "? keys  / filter  enter YAML  d describe  : kind  n namespace  q end"
KEYS = """\
Moving
  up down, j k       one row           page-up page-down, space   a screen
  home end, g G      first and last    left right                 columns that don't fit

What is shown
  /                  filter as you type: every word has to be in the row, none with ! before it
  < >                sort by the column before or after; r reverses
  :                  another kind, or several: po,deploy
  n                  another namespace, or all of them
  esc, backspace, b  back: from the filter, from the place you went to

The object under the cursor
  enter, y           YAML              d   describe         e   events
  h                  history (planes of kctl up)            l   logs, as they come
  o                  its owner         w   what it owns
  s                  scale: asks for a number
  D, delete          delete: asks first

  ?  these keys      Ctrl-L  draw anew      Ctrl-Z  pause      q, Ctrl-C  end: the table stays behind
"""
