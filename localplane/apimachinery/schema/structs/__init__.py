"""An object, as Go reads JSON into a struct and writes it out again.

- `decoded_form`    is it already what decoding would make of it? Nearly all are
- `decoder`         if not: Go's errors, its leniencies, its idea of null
- `codecs`          types that Go reads with a method of their own: times, durations, quantities
- `completion`      fields that Go writes even when they hold nothing

`Schema` calls it for kinds that are Go structs upstream. Custom resources are pruned instead.
"""
