"""An agent's tools by langchain-mcp-adapters, in an environment of its own: URL, and `login` where that wants one.

It calls `price` three times, and writes what came of that and how often its user had to log in.
"""

import asyncio
import json
import sys
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
from langchain_core.tools import ToolException
from langchain_mcp_adapters.client import MultiServerMCPClient
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import OAuthClientMetadata

URL = sys.argv[1]
BACK: Any = "http://127.0.0.1:9/back"


class Kept:
    """What a client keeps of a login."""

    tokens: Any = None
    client: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, client_info: Any) -> None:
        self.client = client_info


async def called(price: Any) -> Any:
    """The price, or what a model would be shown in its place."""
    try:
        (block,) = await price.ainvoke({"item": "lamp"})
    except ToolException as error:
        return f"raised: {error}"
    answer = json.loads(block["text"])
    return answer.get("price", answer)


async def main() -> None:
    pages: list[str] = []

    async def opened(page: str) -> None:
        pages.append(page)

    async def come_back() -> tuple[str, str | None]:
        async with httpx.AsyncClient(trust_env=False) as browser:
            answer = await browser.get(pages[-1])
        query = parse_qs(urlsplit(answer.headers["location"]).query)
        return query["code"][0], query["state"][0]

    server: Any = {"transport": "streamable_http", "url": URL}
    if "login" in sys.argv:
        about = OAuthClientMetadata(redirect_uris=[BACK], client_name="langchain")
        server["auth"] = OAuthClientProvider(URL, about, Kept(), opened, come_back)
    (price,) = await MultiServerMCPClient({"shop": server}).get_tools()
    prices = [await called(price) for _ in range(3)]
    print(json.dumps({"prices": prices, "logins": len(pages)}))


asyncio.run(main())
