"""How objects become text: one file per form, each of them kubectl's to the letter.

    tabwriter, table    columns                          names, objects      -o name, json, yaml, kyaml
    jsonpath            expressions and templates        (apimachinery/golang/template is the Go template engine)
    custom_columns      -o custom-columns                sorting             --sort-by
    choosing            from -o and --template to one of them, and the flags for that
    results             `configmap/a created`, or the object, as -o says

Verbs call `choosing` and `results`. Printers get plain dictionaries and something to write to; they ask no server.
"""
