"""What is asked of the shop, how often, and what is right.

Each function does one thing a user of the shop might do, and raises if anything about the answers
is not as it should be.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable
from typing import Any

from rawhttp import request

from soaking.client import Client, WrongAnswer, unpacked

SEEDED = 360
PRODUCT = {"id", "sku", "name", "description", "category", "price_cents", "stock"}
ORDER = {"id", "customer", "total_cents", "created_at"}
CONTENT = bytes(range(256)) * 400
"""An upload."""


def check(right: object, answer: object) -> None:
    if not right:
        raise WrongAnswer(str(answer)[:500])


async def prepare(client: Client) -> None:
    """A product for each client's own orders, so that nobody sells the others' stock."""
    product = await new_product(client, f"OWN-{client.number}", stock=1_000_000_000)
    client.memory["own"] = product
    await place_order(client)


async def new_product(client: Client, sku: str, stock: int) -> dict[str, Any]:
    product = {
        "sku": sku,
        "name": "Sample",
        "description": "Not for sale.",
        "category": "test",
        "price_cents": 250,
        "stock": stock,
    }
    made = await client.json("POST", "/products", value=product, admin=True, expect=201)
    check(made == {**product, "id": made["id"]}, made)
    return made


async def get_product(client: Client) -> None:
    number = client.random.randint(1, SEEDED)
    product = await client.json("GET", f"/products/{number}")
    check(product.keys() == PRODUCT and product["id"] == number, product)


async def list_products(client: Client) -> None:
    lowest = client.random.randrange(0, 8000, 100)
    target = (
        f"/products?min_price={lowest}&sort=price&limit=20&offset={client.random.randint(0, 9)}"
    )
    page = await client.json("GET", target)
    check(len(page["items"]) == 20 and page["total"] > 29, page)
    prices = [item["price_cents"] for item in page["items"]]
    check(prices == sorted(prices) and prices[0] >= lowest, page)
    check(all(item.keys() == PRODUCT for item in page["items"]), page)


async def list_compressed(client: Client) -> None:
    response = await client.ask(
        "GET", "/products?category=garden&limit=50", "Accept-Encoding: br;q=0.1, gzip"
    )
    check(response.header("content-encoding") == "gzip", response)
    page = json.loads(unpacked(response))
    check([item["category"] for item in page["items"]] == ["garden"] * 50, page)


async def search(client: Client) -> None:
    word = client.random.choice(("oak", "kettle", "folding", "quiet", "lamp", "cork"))
    hits = await client.json("GET", f"/search?q={word}&limit=10")
    check(0 < len(hits) <= 10, hits)
    check(all(f"[{word}]" in hit["snippet"].lower() for hit in hits), hits)


async def place_order(client: Client) -> None:
    own = client.memory["own"]
    quantity = client.random.randint(1, 9)
    lines = [{"product_id": own["id"], "quantity": quantity}]
    wanted = {"customer": f"Client {client.number}", "lines": lines}
    order = await client.json("POST", "/orders", value=wanted, expect=201)
    check(order.keys() == {*ORDER, "lines"}, order)
    check(order["total_cents"] == quantity * own["price_cents"], order)
    check(order["customer"] == wanted["customer"] and len(order["lines"]) == 1, order)
    client.memory["order"] = order


async def get_order(client: Client) -> None:
    order = client.memory["order"]
    check(await client.json("GET", f"/orders/{order['id']}") == order, order)


async def order_too_much(client: Client) -> None:
    lines = [{"product_id": client.memory["own"]["id"], "quantity": 1}]
    lines.append({"product_id": client.random.randint(1, SEEDED), "quantity": 1000})
    wanted = {"customer": "Too much", "lines": lines}
    answer = await client.json("POST", "/orders", value=wanted, expect=409)
    check(answer["detail"].startswith("Only "), answer)


async def mistakes(client: Client) -> None:
    answer = await client.json("POST", "/orders", value={"customer": 1}, expect=422)
    check([one["loc"][-1] for one in answer["detail"]] == ["customer", "lines"], answer)
    answer = await client.json("GET", "/products/987654321", expect=404)
    check(answer == {"detail": "There is no product 987654321"}, answer)
    await client.json("GET", "/nowhere", expect=404)
    await client.json("DELETE", "/products", expect=405)
    refused = await client.ask("GET", "/admin/stats", expect=401)
    check((refused.header("www-authenticate") or "").startswith("Basic"), refused)


async def manage_product(client: Client) -> None:
    count = client.memory["made"] = client.memory.get("made", 0) + 1
    product = await new_product(client, f"TMP-{client.number}-{count}", stock=0)
    where = f"/products/{product['id']}"
    changed = await client.json("PATCH", where, value={"stock": 7}, admin=True)
    check(changed == {**product, "stock": 7}, changed)
    restock = f"/admin{where}/restock"
    changed = await client.json("POST", restock, value={"quantity": 3}, admin=True)
    check(changed == {**product, "stock": 10}, changed)
    gone = await client.ask("DELETE", where, admin=True, expect=204)
    check(gone.body == b"", gone)


async def upload_and_download(client: Client) -> None:
    content = CONTENT[client.random.randint(0, 255) :]
    head = b'--soak\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'
    stored = await client.json(
        "POST",
        "/files",
        "Content-Type: multipart/form-data; boundary=soak",
        body=head + content + b"\r\n--soak--\r\n",
        admin=True,
        expect=201,
    )
    check(stored["sha256"] == hashlib.sha256(content).hexdigest(), stored)
    where = f"/files/{stored['id']}"
    check((await client.ask("GET", where)).body == content, where)
    part = await client.ask("GET", where, "Range: bytes=1000-1999", expect=206)
    check(part.body == content[1000:2000], where)
    await client.ask("DELETE", where, admin=True, expect=204)


async def export(client: Client) -> None:
    response = await client.ask("GET", "/export/products.csv")
    lines = bytes(response.body).splitlines()
    check(response.framing == "chunked" and len(lines) > SEEDED, response)
    check(lines[0] == b"id,sku,name,category,price_cents,stock", lines[0])
    check(lines[SEEDED].startswith(b"%d," % SEEDED), lines[SEEDED])


async def administrate(client: Client) -> None:
    stats = await client.json("GET", "/admin/stats", admin=True)
    check(stats["products"] > SEEDED and stats["orders"] > 0, stats)
    page = await client.json("GET", "/admin/orders?limit=10", admin=True)
    check(0 < len(page["items"]) <= 10, page)
    numbers = [item["id"] for item in page["items"]]
    check(numbers == sorted(numbers, reverse=True), page)


async def look_around(client: Client) -> None:
    page = await client.ask("GET", "/")
    check(b"<title>Shop</title>" in page.body, page)
    check(await client.json("GET", "/health") == {"status": "ok"}, "health")
    asked = ("Origin: http://localhost:3000", "Access-Control-Request-Method: POST")
    answer = await client.ask("OPTIONS", "/orders", *asked)
    check(answer.header("access-control-allow-origin") == "http://localhost:3000", answer)


async def read_the_schema(client: Client) -> None:
    schema = await client.json("GET", "/openapi.json", "Accept-Encoding: gzip")
    check("/products/{product_id}" in schema["paths"], schema)


async def follow_orders(client: Client) -> None:
    stream = await client.open_stream("/events/orders")
    check(b": listening" in await stream.read_body(10), "events")
    await place_order(client)
    number, size = b"id: %d\n" % client.memory["order"]["id"], 11
    while number not in (body := await stream.read_body(size)):
        size = len(body) + 1
    stream.reset()


async def leave_politely(client: Client) -> None:
    await client.ask("GET", "/health", close=True)


async def leave_silently(client: Client) -> None:
    await client.ask("GET", "/health")
    client.forget()


async def leave_rudely(client: Client) -> None:
    upload = request(
        "POST", "/files", "Content-Type: multipart/form-data; boundary=x", body=CONTENT
    )
    data, received = client.random.choice(
        (
            (b"GET /products HT", 0),
            (request("GET", "/export/products.csv"), 0),
            (request("GET", "/export/products.csv"), 2000),
            (request("GET", "/events/orders"), 10),
            (upload[:-2000], 0),
            (request("GET", "/products?limit=100") * 3, 1),
        )
    )
    await client.break_off(data, received)


MIX: dict[Callable[[Client], Awaitable[None]], int] = {
    get_product: 280,
    list_products: 150,
    list_compressed: 40,
    search: 80,
    place_order: 100,
    get_order: 80,
    order_too_much: 20,
    mistakes: 15,
    manage_product: 10,
    upload_and_download: 6,
    export: 10,
    administrate: 6,
    look_around: 20,
    read_the_schema: 2,
    follow_orders: 5,
    leave_politely: 15,
    leave_silently: 10,
    leave_rudely: 10,
}
"""How often each is done, of about 860 times."""
