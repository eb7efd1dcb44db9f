"""The Python client library of the Model Context Protocol against `assay mcp`: `agent.py ASSAY PROFILE`.

The profile's drop must return a wrong deadline. Exits with 1 at the first failed assertion.
"""

import asyncio
import os
import sys
import tempfile

from mcp import ClientSession, StdioServerParameters, stdio_client

program, profile = (os.path.abspath(argument) for argument in sys.argv[1:])
ROW = "drop.response.expires-at"


async def main(folder):
    server = StdioServerParameters(command=program, args=["mcp", "--profile", profile], cwd=folder)
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        started = await session.initialize()
        tools = {tool.name for tool in (await session.list_tools()).tools}
        assert tools == {"explain", "plan", "run", "why", "replay"}, tools

        async def call(name, **arguments):
            result = await session.call_tool(name, arguments)
            (content,) = result.content
            return content.text, result.is_error

        early, is_error = await call("why", id=ROW)
        assert is_error and "call run first" in early, early
        statement, is_error = await call("explain", id=ROW)
        assert not is_error and "4 hours after the upload" in statement, statement
        plan, is_error = await call("plan", services=["drop"])
        assert not is_error and "nothing has been sent" in plan, plan
        causes, is_error = await call("run", filters=["drop.response"])
        assert not is_error and ROW in causes and "does not conform" in causes, causes
        assert len(causes.splitlines()) <= 40, causes
        # A cause, its sentence, the bytes that show it, and the line that repeats it.
        why, is_error = await call("why", id=ROW)
        assert not is_error and len(why.encode()) < 4096, len(why.encode())
        for part in ["4 hours after the upload", "want ", "got ", "> POST /api/drop", "\"expiresAt\":", "repeat "]:
            assert part in why, (part, why)
        again, is_error = await call("replay", id=ROW)
        assert not is_error and "responses as recorded" in again, again
        passed, is_error = await call("replay", id="drop.response.url")
        assert not is_error and "responses as recorded" in passed, passed
        unknown, is_error = await call("run", services=["banana"])
        assert is_error and "known services" in unknown, unknown
        assert not os.listdir(folder), os.listdir(folder)
        info = started.server_info
        print(f"OK: a client library of the protocol uses {info.name} {info.version}, {len(why.encode())} bytes for a cause")


with tempfile.TemporaryDirectory() as folder:
    asyncio.run(main(folder))
