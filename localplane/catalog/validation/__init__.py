"""Rules that several built-in kinds share: metadata, selectors, numbers, names.

The kinds' own modules call these. They return what they find and change nothing. Kubernetes: pkg/apis/core/validation,
apimachinery/pkg/api/validation.
"""
