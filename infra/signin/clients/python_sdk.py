"""The official Python SDK's client with its own OAuth code, led by a test as
typescript.mjs is:

    python python_sdk.py URL
"""

import json
import sys
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider, OAuthFlowError, TokenStorage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata


def say(what):
    print(json.dumps(what), flush=True)


class Storage(TokenStorage):
    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


async def listen(group):
    """Serves the way back; gives its port and where its answers come out."""
    send, receive = anyio.create_memory_object_stream(10)
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    port = listener.extra(anyio.abc.SocketAttribute.local_port)

    async def serve(stream):
        async with stream:
            request = b""
            while b"\r\n\r\n" not in request:
                request += await stream.receive()
            target = urlsplit(request.split(b" ")[1].decode())
            await stream.send(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nDone\n")
            if target.path == "/callback":
                await send.send(parse_qs(target.query))

    group.start_soon(listener.serve, serve)
    return port, receive


def innermost(err):
    while isinstance(err, BaseExceptionGroup):
        err = err.exceptions[0]
    return err


def reason(err):
    return f"{type(err).__name__}: {err}"


async def main(url):
    async with anyio.create_task_group() as group:
        port, came = await listen(group)

        async def open_browser(address):
            say({"open": address})

        async def callback():
            back = await came.receive()
            one = {name: values[0] for name, values in back.items()}
            return AuthorizationCodeResult(code=one.get("code", ""), state=one.get("state"), iss=one.get("iss"))

        provider = OAuthClientProvider(
            url,
            OAuthClientMetadata(
                client_name="Python SDK",
                redirect_uris=[f"http://127.0.0.1:{port}/callback"],
                grant_types=["authorization_code", "refresh_token"],
                response_types=["code"],
                token_endpoint_auth_method="client_secret_post",
            ),
            Storage(),
            redirect_handler=open_browser,
            callback_handler=callback,
        )
        async with create_mcp_http_client(auth=provider, timeout=httpx2.Timeout(30)) as http:
            async with Client(streamable_http_client(url, http_client=http)) as client:
                say({"ready": [t.name for t in (await client.list_tools()).tools]})
                while line := await anyio.to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True):
                    ask = json.loads(line)
                    if ask.get("spoil"):
                        provider.context.token_expiry_time = 1.0  # it believes that the hour is over
                        say({"spoiled": True})
                        continue
                    try:
                        r = await client.call_tool(ask["call"], ask.get("arguments") or {})
                        text = "\n".join(getattr(c, "text", "") for c in r.content)
                        say({"result": r.structured_content or {}, "text": text, "isError": bool(r.is_error)})
                    except Exception as err:
                        say({"error": reason(innermost(err))})
        group.cancel_scope.cancel()


try:
    anyio.run(main, sys.argv[1])
except BaseException as err:
    err = innermost(err)
    if not isinstance(err, OAuthFlowError):
        say({"fatal": reason(err)})
        sys.exit(1)
    say({"error": reason(err)})  # the person said no: this SDK then ends the whole connection
