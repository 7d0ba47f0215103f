"""The built-in kinds of Kubernetes: tables of facts, and in code only what no table can say.

`groups` lists them all; a kind is one file (or a small package) in the folder of its group, and one line in the group's
tuple. The servers install what is declared here. Nothing in here knows of sockets, flags or controllers.
"""
