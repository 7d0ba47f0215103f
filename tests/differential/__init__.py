"""The same requests to two servers, and where their answers differ: `make differential PEER=kubeconfig`.

- `samples`      an object of every kind, from objects.yaml, with the schema of its fields
- `mutation`     what somebody may do to an object: leave out, repeat, misspell, put another value there
- `stories`      what is asked about one object, from its creation to its end; a seed tells all of it
- `servers`      two servers that are asked at once, and what they answer
- `normalising`  what must differ between two servers, taken out of their answers
- `comparison`   a difference: where it is, to which group it belongs, and the smallest request that shows it
- `report`       what was found, by how often it was

- `runs`         stories told to both, until so many requests were sent

- `command_lines`  lines that somebody may write, from kctl's tables of flags and command_lines.yaml
- `command_runs`   kubectl and kctl told the same line, each in a namespace of its own: `--commands`

The peer is any server that a kubeconfig leads to; the other one is a plane of ours that is started for it. Tests
compare two planes of ours, and one that has a fault on purpose.
"""
