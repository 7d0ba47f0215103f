"""DELETE of one object and of a collection."""

from __future__ import annotations

from localplane.apiserver.endpoints.options.delete_options import delete_options
from localplane.apiserver.endpoints.options.list_options import list_options
from localplane.apiserver.endpoints.representation.negotiation import negotiated
from localplane.apiserver.endpoints.representation.response import check_form, respond_list, respond_object, success
from localplane.apiserver.endpoints.served import Served
from localplane.apiserver.endpoints.writes.admission import RequestAdmission
from localplane.apiserver.registry.rest import CollectionDeleter, GracefulDeleter
from localplane.apiserver.request import Answer, Request


async def delete(served: Served, storage: GracefulDeleter, request: Request) -> Answer:
    target = negotiated(served, request)
    check_form(served, target, is_list=False)
    options = await delete_options(request)
    name = request.info.name
    validate = RequestAdmission(served, request, options).validation_on_delete()
    done = await storage.delete(request, name, validate=validate, options=options)
    # 202 says that it is not gone yet, but only to those who asked in the old way for that answer.
    status = 202 if not done.immediately and options.orphan_dependents is False else 200
    if done.result is None:
        return success(served, name, done.uid, target, status)
    return await respond_object(served, request, done.result, target, status)


async def delete_collection(served: Served, storage: CollectionDeleter, request: Request) -> Answer:
    target = negotiated(served, request)
    check_form(served, target, is_list=True)
    selection = list_options(served, request, watch=False)
    options = await delete_options(request)
    validate = RequestAdmission(served, request, options).validation_on_delete()
    listed = await storage.delete_collection(request, validate=validate, options=options, selection=selection)
    return await respond_list(served, listed, target, request.work)
