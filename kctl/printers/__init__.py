"""How objects become text: one file per form, each of them kubectl's to the letter.

    table               columns                          objects, kyaml      -o name, json, yaml, kyaml
    jsonpath            expressions                      templates           -o jsonpath and go-template
    custom_columns      -o custom-columns                sorting             --sort-by
    choice              from -o and --template to one of them, and the flags for that
    results             `configmap/a created`, or the object, as -o says
    typed               objects that kubectl handles as Go structs
    painting            all of it in colour
    clean               without what a server adds       terminal            nothing that drives one

Verbs call `choice` and `results`. Printers get plain dictionaries and something to write to; they ask no server.
apimachinery/golang/template is the Go template engine.
"""
