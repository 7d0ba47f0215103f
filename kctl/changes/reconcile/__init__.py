"""`kctl auth reconcile`: roles and bindings that grant at least what files say.

plans       what has to change, and nothing else       reconcile   asking, changing, telling
"""
