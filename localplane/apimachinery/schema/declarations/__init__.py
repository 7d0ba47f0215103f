"""The forms in which a schema is declared, and how each becomes nodes.

- `annotations`, `classes`    a class with annotations, as a library user writes it
- `members`, `constraints`    its fields, however it is written (as a model of pydantic's, too), and what Annotated says
- `unions`                    classes that one field tells apart
- `checks`                    whether what people declare can be kept
- `structural`                an OpenAPI v3 schema, as CustomResourceDefinitions hold it
- `tables`                    tables of types, as the built-in kinds have them

`Schema.of` calls it. It checks the declaration, never an object.
"""
