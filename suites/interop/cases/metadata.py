"""Token metadata services. `wanted` of a class: the rows that must be red, or `green`, `open`, `finding`."""

import gzip
import json
import re
from urllib.parse import unquote, unquote_to_bytes

from service import PAGE, Reply, Service

# An id beyond the integers of most languages.
LONG = "75025102747501120562217957870903680405161891301468867476608708689029166761546"
DOCUMENTS = ("metadata.contract.", "metadata.token.", "metadata.overrides.", "metadata.paths.", "metadata.records.")


class problem_document(Service):
    """A 422 is a problem document, whose `detail` is a string."""

    wanted = ("metadata.validation.detail",)

    def metadata(self, request):
        reply = super().metadata(request)
        return Reply(422, {"title": "Validation Error", "detail": "failed"}, "application/problem+json") if reply.status == 422 else reply


class further_members_of_422(Service):
    """A 422 has further members, and integers in `loc`."""

    wanted = "green"

    def invalid(self, token):
        return super().invalid(token) | {"loc": ["path", 0], "input": token, "ctx": {}, "url": "https://e.example"}


class optional_fields_null(Service):
    """Optional fields are null."""

    wanted = "green"

    def token(self, token):
        names = ("image", "animation_url", "description", "external_url", "attributes", "external_properties")
        return {"name": "n", **dict.fromkeys(names)}


class further_members(Service):
    """Documents and attributes have further members."""

    wanted = "green"

    def attributes(self):
        return [attribute | {"display_type": None, "order": None} for attribute in super().attributes()]

    def token(self, token):
        return super().token(token) | {"dna": "ff", "edition": 7, "traits": [{"value": 1.5}]}


class attributes_as_text(Service):
    """`attributes` is the text of the array."""

    wanted = ("metadata.records.token-attributes",)

    def token(self, token):
        return super().token(token) | {"attributes": json.dumps(self.attributes())}


class attributes_by_trait(Service):
    """Attributes are objects with the trait as key."""

    wanted = ("metadata.records.trait-type", "metadata.records.value")

    def attributes(self):
        return [{"background": "yellow"}, {"hair": "white"}]


class value_fraction(Service):
    """The value of an attribute is a fraction."""

    wanted = ("metadata.records.value",)

    def attributes(self):
        return [*super().attributes(), {"trait_type": "Stamina", "value": 1.4}]


class value_nan(Service):
    """The value of an attribute is NaN, so that documents are not JSON."""

    wanted = DOCUMENTS

    def attributes(self):
        return [*super().attributes(), {"trait_type": "Score", "value": float("nan")}]


class value_large(Service):
    """Values of attributes are large or negative integers."""

    wanted = "green"

    def attributes(self):
        return [*super().attributes(), {"trait_type": "Seed", "value": 1 << 80}, {"trait_type": "Debt", "value": -7}]


class edited(Service):
    """A service that edits the bytes of its documents."""

    def document(self, value):
        reply = super().document(value)
        reply.body = self.edit(reply.body)
        return reply

    def edit(self, body):
        return body


class value_with_exponent(edited):
    """An integer is written with an exponent."""

    wanted = "open"

    def edit(self, body):
        return body.replace(b'"value": 5', b'"value": 5e0')


class value_with_point(edited):
    """An integer is written with a fraction of zero."""

    wanted = "open"

    def edit(self, body):
        return body.replace(b'"value": 5', b'"value": 5.0')


class escaped_slashes(edited):
    """Slashes in strings are escaped."""

    wanted = "green"

    def edit(self, body):
        return body.replace(b"//", b"\\/\\/")


class byte_order_mark(edited):
    """Documents begin with a byte order mark."""

    wanted = DOCUMENTS

    def edit(self, body):
        return b"\xef\xbb\xbf" + body


class documents_as_bytes(Service):
    """Documents are labelled as bytes. Client libraries decide by the label."""

    wanted = DOCUMENTS

    def document(self, value):
        reply = super().document(value)
        reply.kind = "application/octet-stream"
        return reply


class documents_redirect(Service):
    """Documents are at another address, and their own redirects."""

    wanted = DOCUMENTS

    def metadata(self, request):
        if request.path.startswith("/store/"):
            request.path = request.path.removeprefix("/store")
            return super().metadata(request)
        reply = super().metadata(request)
        if reply.status != 200 or request.path in ("/", "/openapi.json"):
            return reply
        return Reply(302, b"", None, [("Location", f"{self.urls['metadata']}/store{request.path}")])


class json_suffix_differs(Service):
    """The path with `.json` has a cache of its own."""

    wanted = ("metadata.token.same",)

    def metadata(self, request):
        reply = super().metadata(request)
        if request.path.endswith(".json"):
            reply.body = reply.body.replace(b"ipfs://x", b"ipfs://old")
        return reply


class page_for_unknown_paths(Service):
    """Every unknown path returns the page of the root."""

    wanted = ("metadata.",)

    def metadata(self, request):
        reply = super().metadata(request)
        return reply if reply.status == 200 else Reply(200, PAGE, "text/html")


class slashes_merged(Service):
    """Repeated slashes are one."""

    wanted = ("metadata.paths.double-slash",)

    def metadata(self, request):
        request.path = re.sub("/+", "/", request.path)
        return super().metadata(request)


class final_slash_redirects(Service):
    """A path with a final slash redirects to the one without it."""

    wanted = ("metadata.contract.by-uri",)

    def metadata(self, request):
        if len(request.path) > 1 and request.path.endswith("/"):
            return Reply(307, b"", None, [("Location", request.path.rstrip("/"))])
        return super().metadata(request)


class encoded_uri_decoded_first(Service):
    """A path is decoded before it is routed."""

    wanted = ("metadata.paths.double-slash",)
    uri = "https%3A%2F%2Ftokens.case.example%2Fc%2F1"

    def route(self, path):
        return super().route(unquote(path).replace("https://", "https:/"))


# Ids.


class ids_of_many_digits(Service):
    """An id has 77 digits."""

    wanted = "green"
    tokens = Service.tokens | {LONG}
    named = [LONG, "2"]


class int64(Service):
    """An id beyond 63 bits gives 422."""

    wanted = "open"

    def integer(self, text):
        number = super().integer(text)
        return number if number is not None and number < 1 << 63 else None


class int64_with_such_a_token(int64):
    """An id beyond 63 bits gives 422, also that of a token that the profile names."""

    wanted = "finding"
    tokens = Service.tokens | {LONG}
    named = [LONG, "2"]


class ids_as_doubles(Service):
    """Ids are read as doubles, so that two tokens are one."""

    wanted = "open"
    tokens = Service.tokens | {"9007199254740992"}

    def integer(self, text):
        number = super().integer(text)
        return number if number is None or len(text) > 300 else int(float(number))


class ids_with_blanks(Service):
    """Ids may have blanks, a plus, underscores, and digits of other scripts."""

    wanted = "open"

    def integer(self, text):
        try:
            return int(text)
        except ValueError:
            return None


class ids_with_a_fraction(Service):
    """An id with a fraction is read as the integer before it."""

    wanted = ("metadata.validation.integer",)

    def integer(self, text):
        return super().integer(text.split(".")[0])


class ids_with_letters_behind(Service):
    """What follows the digits of an id is ignored."""

    wanted = ("metadata.validation.integer",)

    def integer(self, text):
        digits = re.match(r"-?\d+", text)
        return super().integer(digits[0]) if digits else None


class ids_with_letters_behind_a_fraction(Service):
    """What follows the point of an id is ignored, but not letters after digits."""

    wanted = ("metadata.validation.integer",)

    def integer(self, text):
        return super().integer(re.sub(r"\.\d+x$", "", text))


class id_not_utf8_500(Service):
    """An id whose bytes are not UTF-8 gives 500."""

    wanted = ("metadata.validation.odd-id",)

    def decode(self, segment):
        return unquote_to_bytes(segment).decode()


class id_with_zero_500(Service):
    """An id with the byte zero gives 500."""

    wanted = ("metadata.validation.odd-id",)

    def integer(self, text):
        assert "\0" not in text
        return super().integer(text)


class id_of_many_digits_500(Service):
    """An id of 5,000 digits gives 500, as of a language that bounds such conversions."""

    wanted = ("metadata.validation.odd-id",)

    def integer(self, text):
        assert len(text) < 4_300
        return super().integer(text)


class details_empty(Service):
    """`detail` of a 422 is an empty array."""

    wanted = "open"

    def metadata(self, request):
        reply = super().metadata(request)
        return Reply(422, {"detail": []}) if reply.status == 422 else reply


class compressed_documents(Service):
    """Documents are compressed, which a request without `Accept-Encoding` allows."""

    wanted = "green"

    def document(self, value):
        reply = super().document(value)
        reply.body = gzip.compress(reply.body)
        reply.headers.append(("Content-Encoding", "gzip"))
        return reply
