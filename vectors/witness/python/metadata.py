"""Paths of token metadata by Starlette's routes, which get the raw path, and documents by pydantic's models."""

import re
from typing import Any
from urllib.parse import unquote_to_bytes

from pydantic import BaseModel, StrictBool, StrictInt, StrictStr, ValidationError
from starlette.routing import compile_path

from recipes import read
from refusal import Refused, require

# Starlette reads {contract_uri} as one segment, so it is declared a path. The most specific routes come first.
PATHS = [
    "/",
    "/{contract_uri}//{token_id}/overrides",
    "/{contract_uri}//{token_id}.json",
    "/{contract_uri}//{token_id}",
    "/{contract_uri}//",
    "/{contract_metadata_cid}/{token_id}/overrides",
    "/{contract_metadata_cid}/{token_id}.json",
    "/{contract_metadata_cid}/{token_id}",
    "/{contract_metadata_cid}",
]
ROUTES = [(path, compile_path(path.replace("{contract_uri}", "{contract_uri:path}"))[0]) for path in PATHS]


def decoded(parameter):
    try:
        return unquote_to_bytes(parameter.encode("latin-1")).decode("utf-8", "strict")
    except UnicodeDecodeError as error:
        raise Refused(error) from error


def metadata_route(i):
    # One character per byte.
    raw = read(i["raw_path"]).decode("latin-1")
    for path, route in ROUTES:
        found = route.match(raw)
        if not found:
            continue
        parameters = {name: decoded(text) for name, text in found.groupdict().items()}
        require(all(parameters.values()), "a parameter is empty")
        token = parameters.get("token_id")
        if token is not None:
            require(re.fullmatch(r"-?[0-9]+", token, re.ASCII), "not an integer")
            parameters["token_id"] = str(int(token))
        names = ("contract_metadata_cid", "contract_uri", "token_id")
        return {"path": path, **{name: parameters.get(name) for name in names}}
    raise Refused("not a listed path")


# --- documents -------------------------------------------------------------------------------------------------


class Attribute(BaseModel):
    trait_type: StrictStr
    value: StrictBool | StrictInt | StrictStr


class ExternalProperties(BaseModel):
    source: StrictStr
    mandatory: StrictBool | None = None
    allowed: list[StrictStr] | None = None
    fallback: dict[str, Any] | None = None


class MetadataResponse(BaseModel):
    name: StrictStr
    image: StrictStr | None = None
    animation_url: StrictStr | None = None
    description: StrictStr | None = None
    external_url: StrictStr | None = None
    attributes: list[Attribute] | None = None
    external_properties: list[ExternalProperties] | None = None


class TokenMetadataTemplate(MetadataResponse):
    tag: StrictStr | None = "{id}"


class ContractMetadata(BaseModel):
    name: StrictStr
    symbol: StrictStr | None = None
    description: StrictStr | None = None
    image: StrictStr | None = None
    banner_image: StrictStr | None = None
    featured_image: StrictStr | None = None
    external_link: StrictStr | None = None
    collaborators: list[StrictStr] | None = None
    ref: StrictStr | None = None
    owner: StrictStr | None = None
    default_token_template: TokenMetadataTemplate | None = None


class OneError(BaseModel):
    loc: list[StrictStr | StrictInt]
    msg: StrictStr
    type: StrictStr


class HTTPValidationError(BaseModel):
    detail: list[OneError]


KINDS = {"contract": ContractMetadata, "token": MetadataResponse, "validation-error": HTTPValidationError}


def metadata_record(i):
    try:
        KINDS[i["kind"]].model_validate(i["document"])
    except ValidationError as error:
        raise Refused(error) from error
    return {}


OPERATIONS = {"metadata.route": metadata_route, "metadata.record": metadata_record}
