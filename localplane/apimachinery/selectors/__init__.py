"""Selectors: texts that say which objects are meant.

- `labels/`    `app=web,tier in (a, b)`, by labels
- `fields`     `metadata.name=a,spec.nodeName!=`, by fields that a kind lets be selected

Everybody may use it. What fields a kind has is not known here.
"""
