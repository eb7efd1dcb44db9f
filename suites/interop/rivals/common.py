"""What the three servers share: reading requests, sending answers, the command line."""
import json
import sys
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DRAIN = 128 * 1024 * 1024  # a longer body ends the connection


class Refused(Exception):
    def __init__(self, status, error):
        super().__init__(error)
        self.status, self.error = status, error


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60
    body_read = True

    def log_message(self, *args):
        pass

    def refuse(self, status, error):
        """Send an error answer. Each server has its own form."""
        raise NotImplementedError

    def route(self, path):
        """Answer the request. `path` has no query."""
        raise NotImplementedError

    def dispatch(self):
        self.body_read = False
        try:
            try:
                # `self.path` has its leading slashes merged.
                self.route(self.requestline.split()[1].partition("?")[0])
            except Refused as refused:
                self.refuse(refused.status, refused.error)
        except RequestError as error:
            self.send_error(400, str(error))
        except OSError:  # the client went away
            raise
        except Exception:
            traceback.print_exc()
            self.send_error(500, "internal error")

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = dispatch

    def send_error(self, code, message=None, explain=None):
        self.close_connection = self.body_read = True
        self.refuse(int(code), str(message or "error"))

    def reply(self, status, value, media_type="application/json", **headers):
        if not self.body_read:
            self.read_body(0)
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(data)))
        for name, header in headers.items():
            self.send_header(name, header)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def read_body(self, limit):
        """The body, read to its end, or None if it is longer than the limit."""
        self.body_read = True
        size, parts = 0, []
        for piece in self.pieces():
            size += len(piece)
            if size > DRAIN:
                self.close_connection = True
                break
            if size <= limit:
                parts.append(piece)
        return b"".join(parts) if size <= limit else None

    def pieces(self):
        if "chunked" not in self.headers.get("Transfer-Encoding", "").lower():
            yield from self.read_exactly(length(self.headers.get("Content-Length") or "0", 10))
            return
        while size := length(self.rfile.readline(100).split(b";")[0], 16):
            yield from self.read_exactly(size)
            self.rfile.readline(3)
        while self.rfile.readline(1000).strip():  # trailers
            pass

    def read_exactly(self, size):
        while size:
            piece = self.rfile.read(min(size, 65536))
            if not piece:
                raise ConnectionError("the body is cut off")
            size -= len(piece)
            yield piece


class RequestError(ValueError):
    pass


def length(text, base):
    try:
        size = int(text, base)
    except ValueError:
        size = -1
    if size < 0:
        raise RequestError("invalid length of the body")
    return size


class Server(ThreadingHTTPServer):
    request_queue_size = 128

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):  # a client that went away is not an error
            super().handle_error(request, client_address)


def run(handler, mistakes, on):
    """Serve on 127.0.0.1:PORT with the mistakes that the command line names."""
    names = sys.argv[2:]
    if len(sys.argv) < 2 or not sys.argv[1].isdigit() or set(names) - set(mistakes) - {"all"}:
        sys.exit(f"usage: {sys.argv[0]} PORT [all | {' | '.join(mistakes)}]")
    on.update(mistakes if "all" in names else names)
    Server(("127.0.0.1", int(sys.argv[1])), handler).serve_forever()
