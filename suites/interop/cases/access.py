"""Inference gateways. Keys, payments, errors, models and servers. `wanted` of a class: the rows that must be red, or `green`, or `open`."""

import base64
import json
import random
import time
from email.utils import formatdate

from service import COMPLETIONS, MESSAGES, PAYMENT, RESPONSES, Reply, Service


ERROR_ROWS = ("gateway.errors.detail-",)


def crash():
    return Reply(500, b"Internal Server Error", "text/plain")


# Keys and payments.


class key_empty_accepted(Service):
    """The scheme without a key is accepted."""

    wanted = ("gateway.auth.invalid-key-", "gateway.auth.key-check-invalid", "gateway.direct.invalid-key")

    def authenticate(self, request):
        if request.headers.get("authorization", "").strip().lower() != "bearer":
            super().authenticate(request)


class key_beyond_ascii_500(Service):
    """A key with letters beyond ASCII gives 500."""

    wanted = ("gateway.auth.invalid-key-", "gateway.auth.key-check-invalid", "gateway.direct.invalid-key")

    def authenticate(self, request):
        request.headers.get("authorization", "").encode("ascii")
        super().authenticate(request)


class key_missing_500(Service):
    """A request without a key gives 500."""

    wanted = ("gateway.auth.missing-key", "gateway.auth.key-check-missing", "gateway.direct.missing-key")

    def authenticate(self, request):
        assert request.headers["authorization"]
        super().authenticate(request)


class key_any_on_messages(Service):
    """One endpoint accepts any key."""

    wanted = ("gateway.auth.invalid-key-messages", "gateway.auth.missing-key", "gateway.direct.")

    def authenticate(self, request):
        if request.path != MESSAGES:
            super().authenticate(request)


class key_in_another_header(Service):
    """One endpoint reads the key of its vendor's header alone."""

    wanted = ("gateway.messages.message-object", "gateway.pool.", "gateway.direct.")

    def authenticate(self, request):
        if request.path == MESSAGES and "x-api-key" not in request.headers:
            raise self.refuse(401, "x-api-key is required", request)
        super().authenticate(request)


class key_check_cached(Service):
    """A proxy keeps the response of the key check, for all keys."""

    wanted = ("gateway.auth.key-check-",)
    is_valid = False

    def gateway(self, request):
        if request.path != "/svc/auth/check" or not self.is_valid:
            reply = super().gateway(request)
            self.is_valid |= request.path == "/svc/auth/check"
            return reply
        return Reply(200, {"valid": True})


class key_after_any_scheme(Service):
    """The key is accepted after any scheme."""

    wanted = "open"

    def authenticate(self, request):
        scheme, _, key = request.headers.get("authorization", "").partition(" ")
        if key:
            request.headers["authorization"] = f"Bearer {key}"
        super().authenticate(request)


class key_scheme_exact(Service):
    """The scheme in lower case is refused."""

    wanted = "open"

    def authenticate(self, request):
        if request.headers.get("authorization", "").startswith("bearer"):
            raise self.refuse(401, "invalid scheme", request)
        super().authenticate(request)


class paying(Service):
    """A service with the payment flow."""

    payment_flow = True


class pay_error_body(paying):
    """A 402 has the terms of a payment and no `detail`."""

    wanted = ("gateway.payment.detail",)

    def refuse(self, status, why, request):
        return Reply(402, {"error": why, "accepts": []}) if status == 402 else super().refuse(status, why, request)


class pay_terms_beside_detail(paying):
    """A 402 has the terms of a payment beside `detail`."""

    wanted = "green"

    def refuse(self, status, why, request):
        return Reply(status, {"detail": why, "accepts": [{"scheme": "exact"}]}, headers=[("PAYMENT-REQUIRED", "e30=")])


class pay_nothing(paying):
    """Requests without a key and a payment are served."""

    wanted = ("gateway.auth.missing-key", "gateway.payment.", "gateway.direct.missing-key")

    def pay(self, request, payment):
        pass


class pay_not_for_streams(paying):
    """A streamed chat needs no payment."""

    wanted = ("gateway.auth.missing-key", "gateway.payment.", "gateway.direct.missing-key")

    def pay(self, request, payment):
        if b'"stream":true' not in request.body.replace(b" ", b""):
            super().pay(request, payment)


class pay_anything(paying):
    """Any payment that is not empty is accepted."""

    wanted = ("gateway.payment.invalid",)

    def pay(self, request, payment):
        super().pay(request, PAYMENT if payment else None)


class pay_malformed_500(paying):
    """A payment that is not base64 gives 500."""

    wanted = ("gateway.payment.invalid",)

    def pay(self, request, payment):
        if payment:
            json.loads(base64.b64decode(payment, validate=True))
        super().pay(request, payment)


class pay_malformed_400(paying):
    """A payment that is not valid gives 400."""

    wanted = "green"

    def pay(self, request, payment):
        if payment not in (None, PAYMENT):
            raise self.refuse(400, "invalid payload", request)
        super().pay(request, payment)


class pay_once(paying):
    """A payment pays for one request."""

    wanted = "green"
    is_used = False

    def pay(self, request, payment):
        super().pay(request, None if self.is_used else payment)
        self.is_used = True


# Errors.


class errors_in_another_form(Service):
    """Errors have no `detail`, and a validation error is 400."""

    wanted = ("gateway.",)

    def refuse(self, status, why, request):
        return Reply(400 if status == 422 else status, {"error": {"message": why}})


class errors_validation_400(Service):
    """A validation error is 400."""

    wanted = ("gateway.chat.", "gateway.tools.", "gateway.messages.", "gateway.errors.detail-422")

    def refuse(self, status, why, request):
        return super().refuse(400 if status == 422 else status, why, request)


class errors_detail_array(Service):
    """`detail` of a validation error is an array."""

    wanted = ("gateway.errors.detail-422",)

    def refuse(self, status, why, request):
        detail = [{"loc": ["body"], "msg": why, "type": "value_error"}] if status == 422 else why
        return super().refuse(status, detail, request)


class errors_of_the_vendor(Service):
    """One endpoint returns errors in the form of its vendor, without `detail`."""

    wanted = ERROR_ROWS

    def refuse(self, status, why, request):
        form = {"type": "error", "error": {"type": "invalid_request_error", "message": why}}
        return Reply(status, form) if request.path == MESSAGES else super().refuse(status, why, request)


class errors_of_the_vendor_with_detail(Service):
    """One endpoint returns errors in the form of its vendor, with `detail` beside."""

    wanted = "green"

    def refuse(self, status, why, request):
        return Reply(status, {"type": "error", "error": {"message": why}, "detail": why})


class down_as_404(Service):
    """A model whose servers have failed is unknown."""

    wanted = ("gateway.pool.all-failed", "gateway.discovery.usable")

    def refuse(self, status, why, request):
        return super().refuse(404 if status == 503 else status, why, request)


class down_as_500(Service):
    """A model whose servers have failed gives 500 without a body."""

    wanted = ("gateway.pool.all-failed",)

    def refuse(self, status, why, request):
        return Reply(500, b"", None) if status == 503 else super().refuse(status, why, request)


class down_in_plain_text(Service):
    """The 503 is the text of a proxy."""

    wanted = ("gateway.errors.detail-503",)

    def refuse(self, status, why, request):
        return Reply(503, b"no healthy upstream", "text/plain") if status == 503 else super().refuse(status, why, request)


class down_with_retry_after(Service):
    """The 503 has a `Retry-After` of 30 seconds."""

    wanted = "green"

    def refuse(self, status, why, request):
        reply = super().refuse(status, why, request)
        if status == 503:
            reply.headers.append(("Retry-After", "30"))
        return reply


class down_with_retry_date(Service):
    """The 503 has a `Retry-After` with a date."""

    wanted = "green"

    def refuse(self, status, why, request):
        reply = super().refuse(status, why, request)
        if status == 503:
            reply.headers.append(("Retry-After", formatdate(time.time() + 600, usegmt=True)))
        return reply


UNKNOWN_ROWS = tuple(f"gateway.{group}.unknown-model" for group in ("errors", "completions", "responses", "messages", "direct"))


class unknown_model_503(Service):
    """An unknown model gives 503."""

    wanted = UNKNOWN_ROWS

    def unknown_model(self, request):
        return self.refuse(503, "every server has failed", request)


class unknown_model_503_at_servers(Service):
    """A server returns 503 for an unknown model."""

    wanted = ("gateway.direct.unknown-model",)

    def unknown_model(self, request):
        return self.refuse(404 if request.site == "gateway" else 503, "unknown model", request)


class unknown_model_served(Service):
    """An unknown model is served by the default one."""

    wanted = UNKNOWN_ROWS

    def unknown_model(self, request):
        return self.infer(request, request.json)


class unknown_model_served_by_responses(Service):
    """One endpoint serves an unknown model."""

    wanted = ("gateway.responses.unknown-model",)

    def unknown_model(self, request):
        return self.infer(request, request.json) if request.path == RESPONSES else super().unknown_model(request)


# Models and servers.


class models_list_empty(Service):
    """The list of models is empty."""

    wanted = ("gateway.models.covers-discovery",)

    def model_list(self):
        return {"object": "list", "data": []}


class models_unknown_to_messages(Service):
    """One endpoint knows no model."""

    wanted = ("gateway.messages.message-object", "gateway.pool.", "gateway.direct.")

    def validate(self, request, body):
        super().validate(request, body)
        if request.path == MESSAGES:
            raise self.refuse(404, "unknown model", request)


class models_prefixed(Service):
    """List and discovery have a prefix that requests must not have."""

    wanted = ("gateway.discovery.usable",)

    def discovery(self):
        return {f"bergen/{model}": entry for model, entry in super().discovery().items()}

    def model_list(self):
        return {"object": "list", "data": [{"id": f"bergen/{model}"} for model in self.models]}


class models_in_any_order(Service):
    """Lists have another order in each response."""

    wanted = "green"

    def discovery(self):
        entries = list(super().discovery().items())
        random.shuffle(entries)
        return {model: {"servers": entry["servers"][::-1]} for model, entry in entries}


class servers_redirect(Service):
    """Servers redirect to the gateway."""

    wanted = ("gateway.direct.",)

    def gateway(self, request):
        if request.site == "gateway":
            return super().gateway(request)
        return Reply(308, b"", None, [("Location", self.urls["gateway"] + request.target)])


class servers_without_messages(Service):
    """No server has the endpoint for messages."""

    wanted = ("gateway.direct.messages", "gateway.direct.every-server")

    def gateway(self, request):
        at_server = request.site != "gateway"
        return self.refuse(404, "no such path", request) if at_server and request.path == MESSAGES else super().gateway(request)


class second_server_without_completions(Service):
    """The second of two servers has no endpoint for completions."""

    wanted = ("gateway.direct.every-server",)

    def gateway(self, request):
        is_missing = request.site == "far" and request.path == COMPLETIONS
        return self.refuse(404, "no such path", request) if is_missing else super().gateway(request)


class second_server_fails_on_messages(Service):
    """The second of two servers returns 500 to messages."""

    wanted = ("gateway.direct.every-server",)

    def gateway(self, request):
        return crash() if request.site == "far" and request.path == MESSAGES else super().gateway(request)


class second_server_fails_in_streams(Service):
    """The second of two servers returns 500 to a streamed chat."""

    wanted = ("gateway.direct.every-server",)

    def infer(self, request, body):
        return crash() if request.site == "far" and body.get("stream") and body["model"] != "bergen-broken" else super().infer(request, body)


class second_server_unknown(Service):
    """The second of two servers answers 404 to everything, as if another program had its port."""

    wanted = ("gateway.direct.", "gateway.errors.detail-404")

    def gateway(self, request):
        return Reply(404, b"not found", "text/plain") if request.site == "far" else super().gateway(request)


class servers_out_of_reach(Service):
    """Discovery lists servers that the tester cannot reach."""

    wanted = "open"

    def discovery(self):
        return {model: {"servers": [self.urls["dead"]]} for model in self.models}
