"""A token metadata service: `python metadata.py PORT [MISTAKE ...]`.

Without a mistake it follows the document. `all` switches every mistake on.
"""
import re
from urllib.parse import unquote

from common import Handler, Refused, run

MISTAKES = {
    # Endpoints, token metadata service
    "html_as_json": "The root path returns the HTML as a JSON string, not as a document.",
    # Errors
    "error_detail_string": "`detail` of a `422` is a string, not an array.",
    # Token metadata records
    "falsy_value_left_out": "An attribute whose value is `false` or 0 has no `value`.",
    # Endpoints, token metadata service
    "no_overrides_null": "The overrides of a token without overrides are `null`, not an empty array.",
    # What the service does
    "cache_by_token_id": "Token documents are cached by token id alone; another contract gets the cached document.",
    # Errors
    "token_id_prefix": "A token id that only starts with digits, such as `1x`, is read as the number.",
    # Endpoints, token metadata service
    "token_zero_missing": "Token id 0 is taken as missing and gets `422`.",
    # Endpoints
    "slashes_merged": "Double slashes in the path are merged, so paths with a contract URI are not found.",
}
ON = set()

CID_ONE = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"
CID_TWO = "bafybeihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"
IMAGE = "https://art.example.com/images/"
ATTRIBUTES = [
    {"trait_type": "Colour", "value": "blue"},
    {"trait_type": "Layers", "value": 3},
    {"trait_type": "Scratches", "value": 0},
    {"trait_type": "Framed", "value": True},
    {"trait_type": "Animated", "value": False},
]
EXTERNAL = [{"source": "https://art.example.com/traits", "mandatory": False, "allowed": ["mood"],
             "fallback": {"mood": "calm"}}]
FULL_TOKEN = {
    "name": "Drawing 7", "image": IMAGE + "7.png", "animation_url": IMAGE + "7.mp4",
    "description": "A token with every field.", "external_url": "https://art.example.com/7",
    "attributes": ATTRIBUTES, "external_properties": EXTERNAL,
}
ONE = {
    "contract": {
        "name": "Drawings", "symbol": "DRAW", "description": "A collection with every field.",
        "image": IMAGE + "logo.png", "banner_image": IMAGE + "banner.png", "featured_image": IMAGE + "featured.png",
        "external_link": "https://art.example.com", "collaborators": ["0x" + "11" * 20, "0x" + "22" * 20],
        "ref": "drawings", "owner": "0x" + "33" * 20,
        "default_token_template": {
            "name": "Drawing {id}", "image": IMAGE + "{id}.png", "animation_url": IMAGE + "{id}.mp4",
            "description": "A drawing.", "external_url": "https://art.example.com/{id}",
            "attributes": ATTRIBUTES, "external_properties": EXTERNAL, "tag": "{id}"},
    },
    "tokens": {0: {"name": "Drawing 0", "image": IMAGE + "0.png", "attributes": ATTRIBUTES}, 1: {"name": "Drawing 1"},
               7: FULL_TOKEN, 10 ** 29 + 7: {"name": "Drawing with a long id"}},
    "overrides": {1: [{"name": "Drawing 1, signed"}, {"attributes": ATTRIBUTES[:1]}]},
}
TWO = {"contract": {"name": "Sketches"}, "tokens": {1: {"name": "Sketch 1"}, 2: {"name": "Sketch 2"}}, "overrides": {}}
BY_CID = {CID_ONE: ONE, CID_TWO: TWO}
# A URI is taken raw or percent-encoded in the path.
BY_URI = {"https://art.example.com/one": ONE, "svc:sketches": TWO}
PAGE = "<!DOCTYPE html>\n<html><head><title>Token metadata</title></head><body><p>Token metadata, 0.1.0</p></body></html>\n"
CACHE = {}


def invalid(message, kind):
    detail = message if "error_detail_string" in ON else [
        {"loc": ["path", "token_id"], "msg": message, "type": kind}]
    return Refused(422, detail)


def token_number(text):
    pattern = r"-?[0-9]+" if "token_id_prefix" in ON else r"-?[0-9]+\Z"
    found = re.match(pattern, text)
    if not found:
        raise invalid("value is not a valid integer", "type_error.integer")
    # No token has such a long id. `int` would refuse it.
    number = int(found[0]) if len(found[0]) < 1000 else -1
    if number == 0 and "token_zero_missing" in ON:
        raise invalid("field required", "value_error.missing")
    return number


def filled(document):
    """The document as it is sent."""
    if "falsy_value_left_out" in ON and isinstance(document, dict):
        return {key: [{k: v for k, v in item.items() if v} for item in value] if key == "attributes" else filled(value)
                for key, value in document.items()}
    return document


def lookup(contracts, address, rest):
    """The document for a contract and the part of the path behind it."""
    parts = rest.split("/") if rest else []
    overrides = len(parts) == 2 and parts[1] == "overrides"
    if len(parts) > 1 and not overrides or parts and not parts[0]:
        raise Refused(404, "unknown path")
    contract = contracts.get(unquote(address))
    if not parts:
        if contract is None:
            raise Refused(404, "unknown contract")
        return filled(contract["contract"])
    token = token_number(unquote(parts[0] if overrides else parts[0].removesuffix(".json")))
    if "cache_by_token_id" in ON and not overrides and token in CACHE:
        return filled(CACHE[token])
    if contract is None or token not in contract["tokens"]:
        raise Refused(404, "unknown contract or token")
    if overrides:
        return contract["overrides"].get(token, None if "no_overrides_null" in ON else [])
    CACHE[token] = contract["tokens"][token]
    return filled(CACHE[token])


def find(path):
    """The document for a path. Forms with a contract URI come first: the last `//` ends the URI."""
    if "slashes_merged" in ON:
        path = re.sub("/+", "/", path)
    address, slashes, rest = path[1:].rpartition("//")
    if slashes:
        return lookup(BY_URI, address, rest)
    address, slash, rest = path[1:].partition("/")
    if slash and not rest:
        raise Refused(404, "unknown path")
    return lookup(BY_CID, address, rest)


class Metadata(Handler):
    def refuse(self, status, error):
        self.reply(status, {"detail": error})

    def route(self, path):
        if self.command not in ("GET", "HEAD"):
            raise Refused(405, "method not allowed")
        if path != "/":
            self.reply(200, find(path))
        elif "html_as_json" in ON:
            self.reply(200, PAGE)
        else:
            self.reply(200, PAGE.encode(), "text/html; charset=utf-8")


if __name__ == "__main__":
    run(Metadata, MISTAKES, ON)
