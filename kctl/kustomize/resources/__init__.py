"""The objects of a build.

resource  one object       ids        who is who: group, version, kind, name and namespace
resmap    all of them      selector   which of them a patch or a replacement is for
factory   out of bytes     data_maps  the data of config maps and secrets
order     of the output    hashes     the ending of a name that changes with the content
origins   where each came from, and what changed it
"""
