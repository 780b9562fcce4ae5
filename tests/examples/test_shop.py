"""The shop, as a user would run it: a real server, a fresh database, httpx over a real socket."""

import base64
import csv
import hashlib
import io
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from content import pattern
from rawhttp import Raw, request
from serving import DEADLINE, Deadline, Server

SHOP = Path(__file__).parents[2] / "examples" / "shop"
ADMIN = ("keeper", "not-the-demo-password")
ORIGIN = "https://shop.example"


def shop(folder: Path, *options: str, **env: str) -> Server:
    settings = {
        "SHOP_DATABASE": str(folder / "shop.db"),
        "SHOP_ADMIN_USER": ADMIN[0],
        "SHOP_ADMIN_PASSWORD": ADMIN[1],
        "SHOP_CORS_ORIGINS": ORIGIN,
        "SHOP_HEARTBEAT": "0.2",
    }
    return Server("shop.main:app", *options, app_dir=SHOP, env=settings | env)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with shop(tmp_path_factory.mktemp("shop")) as running:
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=DEADLINE) as opened:
        yield opened


@pytest.fixture
def product(client: httpx.Client) -> Iterator[dict[str, Any]]:
    """A product of this test's own, with ten in stock."""
    made = client.post("/products", json=new_product("OWN-1", stock=10), auth=ADMIN)
    assert made.status_code == 201, made.text
    yield made.json()
    client.delete(made.headers["location"], auth=ADMIN)


def new_product(sku: str, **fields: Any) -> dict[str, Any]:
    known = {"name": "Test Lamp", "description": "Lights.", "category": "test", "price_cents": 250}
    return {"sku": sku, **known, **fields}


def order(product_id: int, quantity: int, customer: str = "Ada") -> dict[str, Any]:
    return {"customer": customer, "lines": [{"product_id": product_id, "quantity": quantity}]}


# Products


def test_seeds_on_first_start(client: httpx.Client) -> None:
    page = client.get("/products", params={"limit": 100, "max_price": 19_999}).json()
    assert page["total"] == 360
    assert page["items"][0] == {
        "id": 1,
        "sku": "KIT-0001",
        "name": "Compact Linen Kettle",
        "description": "A compact kettle made of linen, for kitchen.",
        "category": "kitchen",
        "price_cents": 14749,
        "stock": 112,
    }


def test_pages_through_the_list_without_gap_or_overlap(client: httpx.Client) -> None:
    seen: list[int] = []
    for offset in range(0, 400, 40):
        page = client.get("/products", params={"limit": 40, "offset": offset}).json()
        seen += [item["id"] for item in page["items"]]
    assert seen == sorted(set(seen))
    assert len(seen) == page["total"]


@pytest.mark.parametrize(
    ("query", "right"),
    [
        ("category=garden", lambda item: item["category"] == "garden"),
        ("min_price=5000&max_price=9000", lambda item: 5000 <= item["price_cents"] <= 9000),
        ("in_stock=true", lambda item: item["stock"] > 0),
        ("in_stock=false", lambda item: item["stock"] == 0),
        (
            "category=play&in_stock=true&max_price=4000",
            lambda item: (
                item["category"] == "play" and item["stock"] > 0 and item["price_cents"] <= 4000
            ),
        ),
    ],
)
def test_filters(client: httpx.Client, query: str, right: Any) -> None:
    everything: list[dict[str, Any]] = []
    for offset in range(0, 400, 100):
        everything += client.get(f"/products?limit=100&offset={offset}").json()["items"]
    expected = [item for item in everything if right(item)]
    assert 0 < len(expected) < len(everything)
    page = client.get(f"/products?limit=100&{query}").json()
    assert page == {"items": expected[:100], "total": len(expected)}


@pytest.mark.parametrize(
    ("sort", "key"),
    [
        ("name", lambda item: (item["name"], item["id"])),
        ("price", lambda item: (item["price_cents"], item["id"])),
        ("-price", lambda item: (-item["price_cents"], item["id"])),
    ],
)
def test_sorts(client: httpx.Client, sort: str, key: Any) -> None:
    items = client.get("/products", params={"sort": sort, "limit": 100}).json()["items"]
    assert items == sorted(items, key=key)
    assert items != sorted(items, key=lambda item: item["id"])


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=101", "offset=-1", "sort=colour", "min_price=x", "in_stock=maybe", "page=2"],
)
def test_refuses_a_bad_filter(client: httpx.Client, query: str) -> None:
    answer = client.get(f"/products?{query}")
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["query", query.partition("=")[0]]


def test_creates_gets_changes_and_deletes_a_product(client: httpx.Client) -> None:
    made = client.post("/products", json=new_product("TST-1", stock=3), auth=ADMIN)
    assert made.status_code == 201
    where = made.headers["location"]
    product = {"id": int(where.rpartition("/")[2]), **new_product("TST-1", stock=3)}
    assert made.json() == product
    assert client.get(where).json() == product

    changed = client.patch(where, json={"price_cents": 0, "name": "Lamp"}, auth=ADMIN)
    assert changed.status_code == 200
    assert changed.json() == {**product, "price_cents": 0, "name": "Lamp"}
    assert client.patch(where, json={}, auth=ADMIN).json() == changed.json()
    assert client.get(where).json() == changed.json()

    gone = client.delete(where, auth=ADMIN)
    assert (gone.status_code, gone.content) == (204, b"")
    assert "content-length" not in gone.headers
    for method in ("GET", "DELETE", "PATCH"):
        answer = client.request(method, where, json={} if method == "PATCH" else None, auth=ADMIN)
        assert answer.status_code == 404
        assert answer.json() == {"detail": f"There is no product {product['id']}"}


def test_refuses_a_second_product_of_one_sku(client: httpx.Client, product: dict[str, Any]) -> None:
    answer = client.post("/products", json=new_product(product["sku"]), auth=ADMIN)
    assert answer.status_code == 409
    assert answer.json() == {"detail": f"There is a product {product['sku']} already"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"sku": "no lower case"},
        {"price_cents": -1},
        {"price_cents": 1.5},
        {"stock": -1},
        {"name": "   "},
        {"colour": "red"},
    ],
)
def test_refuses_a_bad_product(client: httpx.Client, wrong: dict[str, Any]) -> None:
    answer = client.post("/products", json={**new_product("BAD-1"), **wrong}, auth=ADMIN)
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["body", *wrong]


def test_a_change_to_null_is_refused(client: httpx.Client, product: dict[str, Any]) -> None:
    answer = client.patch(f"/products/{product['id']}", json={"name": None}, auth=ADMIN)
    assert answer.status_code == 422


@pytest.mark.parametrize("wrong", ["0", "-1", "x", str(2**63)])
def test_refuses_an_id_that_is_none(client: httpx.Client, wrong: str) -> None:
    assert client.get(f"/products/{wrong}").status_code == 422


def test_refuses_broken_json(client: httpx.Client) -> None:
    answer = client.post("/orders", content=b'{"x":', headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["type"] == "json_invalid"


def test_unknown_paths_and_methods(client: httpx.Client) -> None:
    assert client.get("/nothing").status_code == 404
    answer = client.put("/products")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")


# Orders


def test_an_order_takes_from_stock(client: httpx.Client, product: dict[str, Any]) -> None:
    placed = client.post("/orders", json=order(product["id"], 4))
    assert placed.status_code == 201
    body = placed.json()
    assert body["total_cents"] == 4 * product["price_cents"]
    assert body["lines"] == [
        {
            "product_id": product["id"],
            "name": product["name"],
            "price_cents": product["price_cents"],
            "quantity": 4,
        }
    ]
    assert client.get(placed.headers["location"]).json() == body
    assert client.get(f"/products/{product['id']}").json()["stock"] == 6


def test_an_order_is_taken_whole_or_not_at_all(
    client: httpx.Client, product: dict[str, Any]
) -> None:
    before = client.get("/products/2").json()["stock"]
    lines = [{"product_id": 2, "quantity": 1}, {"product_id": product["id"], "quantity": 11}]
    refused = client.post("/orders", json={"customer": "Ada", "lines": lines})
    assert refused.status_code == 409
    assert refused.json() == {"detail": "Only 10 of 'Test Lamp' left, 11 ordered"}
    lines[1] = {"product_id": 10**9, "quantity": 1}
    refused = client.post("/orders", json={"customer": "Ada", "lines": lines})
    assert refused.status_code == 404
    assert client.get("/products/2").json()["stock"] == before
    assert client.get(f"/products/{product['id']}").json()["stock"] == 10


def test_two_lines_of_one_product_count_together(
    client: httpx.Client, product: dict[str, Any]
) -> None:
    lines = [{"product_id": product["id"], "quantity": 6}] * 2
    refused = client.post("/orders", json={"customer": "Ada", "lines": lines})
    assert refused.json() == {"detail": "Only 4 of 'Test Lamp' left, 6 ordered"}


def test_an_order_outlives_its_product(client: httpx.Client) -> None:
    made = client.post("/products", json=new_product("GONE-1", stock=1), auth=ADMIN).json()
    placed = client.post("/orders", json=order(made["id"], 1))
    assert client.delete(f"/products/{made['id']}", auth=ADMIN).status_code == 204
    (line,) = client.get(placed.headers["location"]).json()["lines"]
    assert (line["product_id"], line["name"]) == (None, made["name"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"customer": "", "lines": [{"product_id": 1, "quantity": 1}]},
        {"customer": "Ada", "lines": []},
        {"customer": "Ada", "lines": [{"product_id": 1, "quantity": 0}]},
        {"customer": "Ada", "lines": [{"product_id": 1, "quantity": 1}] * 21},
        {"customer": "Ada", "lines": [{"product_id": 1, "quantity": 1, "price": 0}]},
    ],
)
def test_refuses_a_bad_order(client: httpx.Client, wrong: dict[str, Any]) -> None:
    assert client.post("/orders", json=wrong).status_code == 422


def test_no_order_of_that_number(client: httpx.Client) -> None:
    answer = client.get("/orders/987654321")
    assert (answer.status_code, answer.json()) == (404, {"detail": "There is no order 987654321"})


# Search


def test_finds_words_and_their_beginnings(client: httpx.Client) -> None:
    hits = client.get("/search", params={"q": "folding kett", "limit": 100}).json()
    assert hits
    assert all(hit["name"].startswith("Folding") for hit in hits)
    assert all("[kettle]" in hit["snippet"] for hit in hits)
    product = client.get(f"/products/{hits[0]['id']}").json()
    shared = ("name", "category", "price_cents", "stock")
    assert {name: hits[0][name] for name in shared} == {name: product[name] for name in shared}
    assert len(client.get("/search", params={"q": "oak", "limit": 3}).json()) == 3


def test_search_follows_changes(client: httpx.Client, product: dict[str, Any]) -> None:
    where = f"/products/{product['id']}"
    assert client.get("/search?q=zeppelin").json() == []
    client.patch(where, json={"description": "A zeppelin, in fact."}, auth=ADMIN)
    assert [hit["id"] for hit in client.get("/search?q=zeppelin").json()] == [product["id"]]
    client.delete(where, auth=ADMIN)
    assert client.get("/search?q=zeppelin").json() == []


@pytest.mark.parametrize("q", ['"', "NEAR(", "a AND", "*", "name:x", "☃", "x^2 -y", "%"])
def test_a_query_is_never_syntax(client: httpx.Client, q: str) -> None:
    assert client.get("/search", params={"q": q}).status_code == 200


def test_a_search_for_nothing_is_refused(client: httpx.Client) -> None:
    assert client.get("/search").status_code == 422
    assert client.get("/search?q=").status_code == 422


# Files


def test_uploads_downloads_and_deletes_a_file(client: httpx.Client) -> None:
    content = pattern(3_000_000)
    files = {"file": ("menü.pdf", content, "application/pdf")}
    stored = client.post("/files", files=files, auth=ADMIN)
    assert stored.status_code == 201
    about = stored.json()
    where = f"/files/{about['id']}"
    assert about == {
        "id": about["id"],
        "name": "menü.pdf",
        "media_type": "application/pdf",
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }

    whole = client.get(where, headers={"accept-encoding": "identity"})
    assert whole.status_code == 200
    assert whole.content == content
    assert whole.headers["content-type"] == "application/pdf"
    assert whole.headers["content-length"] == str(len(content))
    assert whole.headers["content-disposition"] == "attachment; filename*=utf-8''men%C3%BC.pdf"
    assert whole.headers["x-content-type-options"] == "nosniff"

    part = client.get(where, headers={"range": "bytes=1000000-1000099"})
    assert (part.status_code, part.content) == (206, content[1_000_000:1_000_100])
    assert part.headers["content-range"] == f"bytes 1000000-1000099/{len(content)}"
    assert client.get(where, headers={"range": "bytes=9999999-"}).status_code == 416

    assert client.delete(where, auth=ADMIN).status_code == 204
    assert client.get(where).status_code == 404


def test_an_upload_has_a_bound(client: httpx.Client) -> None:
    too_large = {"file": ("large", pattern(5 * 1024 * 1024), "text/plain")}
    answer = client.post("/files", files=too_large, auth=ADMIN)
    assert answer.status_code == 413
    fits = {"file": ("fits", pattern(5 * 1024 * 1024 - 1024), "text/plain")}
    assert client.post("/files", files=fits, auth=ADMIN).status_code == 201


def test_a_chunked_upload_has_the_same_bound(server: Server) -> None:
    # No Content-Length says how much comes.
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="large"\r\n\r\n'
    user = base64.b64encode(":".join(ADMIN).encode()).decode()
    with Raw(server.port) as connection:
        connection.send(
            request(
                "POST",
                "/files",
                f"Authorization: Basic {user}",
                "Content-Type: multipart/form-data; boundary=x",
                "Transfer-Encoding: chunked",
            )
        )
        chunk = head + bytes(512 * 1024 - len(head))
        for _ in range(11):
            try:
                connection.send(b"%x\r\n%b\r\n" % (len(chunk), chunk))
            except OSError:
                break  # it does not want any more of it
            chunk = bytes(512 * 1024)
        assert connection.read().status == 413


def test_other_bodies_have_a_smaller_bound(client: httpx.Client) -> None:
    answer = client.post("/orders", json={"customer": "x" * 70_000, "lines": []})
    assert answer.status_code == 413


def test_an_upload_without_a_file_is_refused(client: httpx.Client) -> None:
    assert client.post("/files", data={"other": "x"}, auth=ADMIN).status_code == 422


def test_a_file_id_is_no_path(client: httpx.Client) -> None:
    for wrong in ("..%2Fshop.db", "%2e%2e/shop.db", "0" * 31, "A" * 32):
        assert client.get(f"/files/{wrong}").status_code in (404, 422)
    assert client.get("/files/" + "0" * 32).status_code == 404


# Export and events


def test_exports_every_product_as_csv(client: httpx.Client) -> None:
    with client.stream("GET", "/export/products.csv") as answer:
        assert answer.headers["content-type"] == "text/csv; charset=utf-8"
        assert answer.headers["content-disposition"] == 'attachment; filename="products.csv"'
        assert "content-length" not in answer.headers
        text = "".join(answer.iter_text())
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == client.get("/products").json()["total"]
    assert rows[0]["sku"] == "KIT-0001"
    ids = [int(row["id"]) for row in rows]
    assert ids == sorted(set(ids))


class Events:
    """An open event stream."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines

    def next(self) -> dict[str, str]:
        """The next event or comment."""
        fields: dict[str, str] = {}
        for line in self._lines:
            if line:
                name, _, value = line.partition(":")
                fields[name or "comment"] = value.strip()
            elif fields:
                return fields
        raise AssertionError("the stream ended")

    def next_order(self) -> dict[str, Any]:
        """The next order, past any heartbeat."""
        deadline = Deadline(what="an order")
        while deadline.left():
            event = self.next()
            if event.get("event") == "order":
                data = json.loads(event["data"])
                assert event["id"] == str(data["id"])
                return data
        raise AssertionError


@contextmanager
def listen(url: str, **headers: str) -> Iterator[Events]:
    with (
        httpx.Client(base_url=url, timeout=DEADLINE) as client,
        client.stream("GET", "/events/orders", headers=headers) as answer,
    ):
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert answer.headers["cache-control"] == "no-cache"
        assert "content-encoding" not in answer.headers
        events = Events(answer.iter_lines())
        assert events.next() == {"comment": "listening", "retry": "2000"}
        yield events


def test_tells_of_new_orders(server: Server, client: httpx.Client) -> None:
    with listen(server.url) as first, listen(server.url) as second:
        placed = [
            client.post("/orders", json=order(1, 1, customer=name)).json() for name in ("Bo", "Cy")
        ]
        for one in placed:
            del one["lines"]
        for events in (first, second):
            assert [events.next_order(), events.next_order()] == placed


def test_a_silent_feed_beats(server: Server) -> None:
    with listen(server.url) as events:
        assert events.next() == {"comment": "heartbeat"}
        assert events.next() == {"comment": "heartbeat"}


def test_a_client_that_comes_back_gets_what_it_missed(server: Server, client: httpx.Client) -> None:
    placed = [client.post("/orders", json=order(1, 1)).json()["id"] for _ in range(3)]
    with listen(server.url, **{"last-event-id": str(placed[0])}) as events:
        assert [events.next_order()["id"], events.next_order()["id"]] == placed[1:]
        later = client.post("/orders", json=order(1, 1)).json()["id"]
        assert events.next_order()["id"] == later
    assert client.get("/events/orders", headers={"last-event-id": "x"}).status_code == 422


def test_a_listener_that_leaves_is_nobody_s_error(tmp_path: Path) -> None:
    with shop(tmp_path) as server:
        with listen(server.url):
            pass
        with Raw(server.port) as connection:
            connection.get("/events/orders")
            connection.read_body(10)
            connection.half_close().expect_cut()
        with Raw(server.port) as connection:
            connection.get("/events/orders")
            connection.read_body(10)
            connection.reset()
    assert "ERROR" not in server.log


def test_the_server_ends_although_somebody_listens(tmp_path: Path) -> None:
    with shop(tmp_path) as server, listen(server.url):
        server.stop()


# The admin


PROTECTED = [
    ("POST", "/products"),
    ("PATCH", "/products/1"),
    ("DELETE", "/products/1"),
    ("POST", "/files"),
    ("DELETE", "/files/" + "0" * 32),
    ("GET", "/admin/stats"),
    ("GET", "/admin/orders"),
    ("POST", "/admin/products/1/restock"),
]


@pytest.mark.parametrize(("method", "path"), PROTECTED)
@pytest.mark.parametrize(
    "auth", [None, ("keeper", "wrong"), ("wrong", ADMIN[1]), ("", ""), ("admin", "feather")]
)
def test_only_the_admin_gets_in(
    client: httpx.Client, method: str, path: str, auth: tuple[str, str] | None
) -> None:
    json_body: dict[str, Any] | None = None
    files = None
    if path == "/files":
        files = {"file": ("x", b"x", "text/plain")}
    elif method != "GET":
        json_body = {"quantity": 1} if "restock" in path else new_product("SNEAK-1")
    answer = client.request(method, path, json=json_body, files=files, auth=auth)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith('Basic realm="shop"')


def test_stats_and_restock(client: httpx.Client, product: dict[str, Any]) -> None:
    before = client.get("/admin/stats", auth=ADMIN).json()
    restocked = client.post(
        f"/admin/products/{product['id']}/restock", json={"quantity": 5}, auth=ADMIN
    )
    assert restocked.json() == {**product, "stock": 15}
    client.post("/orders", json=order(product["id"], 15))
    after = client.get("/admin/stats", auth=ADMIN).json()
    assert after == {
        "products": before["products"],
        "out_of_stock": before["out_of_stock"] + 1,
        "orders": before["orders"] + 1,
        "revenue_cents": before["revenue_cents"] + 15 * product["price_cents"],
    }
    assert (
        client.post("/admin/products/987654/restock", json={"quantity": 5}, auth=ADMIN).status_code
        == 404
    )


def test_lists_orders_newest_first(client: httpx.Client) -> None:
    placed = [client.post("/orders", json=order(1, 1)).json()["id"] for _ in range(3)]
    page = client.get("/admin/orders", params={"limit": 2, "offset": 1}, auth=ADMIN).json()
    assert [item["id"] for item in page["items"]] == [placed[1], placed[0]]
    assert page["total"] >= 3


# Around the routes


def test_the_page_and_the_docs(client: httpx.Client) -> None:
    page = client.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert '<a href="/docs">' in page.text
    assert "Swagger UI" in client.get("/docs").text
    assert client.get("/health").json() == {"status": "ok"}


def test_the_schema_knows_every_route(client: httpx.Client) -> None:
    schema = client.get("/openapi.json").json()
    assert set(schema["paths"]) == {
        "/health",
        "/products",
        "/products/{product_id}",
        "/orders",
        "/orders/{order_id}",
        "/search",
        "/files",
        "/files/{file_id}",
        "/export/products.csv",
        "/events/orders",
        "/admin/stats",
        "/admin/orders",
        "/admin/products/{product_id}/restock",
    }
    assert schema["paths"]["/admin/stats"]["get"]["security"] == [{"HTTPBasic": []}]


def test_compresses_what_is_worth_it(client: httpx.Client) -> None:
    listing = client.get("/products", headers={"accept-encoding": "gzip"})
    assert listing.headers["content-encoding"] == "gzip"
    assert int(listing.headers["content-length"]) < len(listing.content)
    plain = client.get("/products", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.json() == listing.json()
    assert "content-encoding" not in client.get("/health").headers
    export = client.get("/export/products.csv", headers={"accept-encoding": "gzip"})
    assert export.headers["content-encoding"] == "gzip"
    assert export.text.startswith("id,sku,name")


def test_answers_a_page_of_another_origin(client: httpx.Client) -> None:
    asked = client.options(
        "/products",
        headers={
            "origin": ORIGIN,
            "access-control-request-method": "POST",
            "access-control-request-headers": "authorization,content-type",
        },
    )
    assert asked.status_code == 200
    assert asked.headers["access-control-allow-origin"] == ORIGIN
    assert "POST" in asked.headers["access-control-allow-methods"]
    answer = client.get("/products/1", headers={"origin": ORIGIN})
    assert answer.headers["access-control-allow-origin"] == ORIGIN
    assert answer.headers["access-control-expose-headers"] == "Location"

    stranger = {"origin": "https://elsewhere.example"}
    assert "access-control-allow-origin" not in client.get("/", headers=stranger).headers
    asked = client.options("/", headers={**stranger, "access-control-request-method": "GET"})
    assert asked.status_code == 400


# Several at once


def test_concurrent_orders_sell_each_piece_once(server: Server, client: httpx.Client) -> None:
    made = client.post("/products", json=new_product("RUSH-1", stock=30), auth=ADMIN).json()
    results: list[int] = []

    def buy() -> None:
        with httpx.Client(base_url=server.url, timeout=DEADLINE) as own:
            results.extend(own.post("/orders", json=order(made["id"], 1)).status_code for _ in "12")

    buyers = [threading.Thread(target=buy) for _ in range(50)]  # more than there are threads
    for buyer in buyers:
        buyer.start()
    for buyer in buyers:
        buyer.join()
    assert sorted(results) == [201] * 30 + [409] * 70
    assert client.get(f"/products/{made['id']}").json()["stock"] == 0


def test_several_workers_share_one_database(tmp_path: Path) -> None:
    with (
        shop(tmp_path, "--workers", "3") as server,
        listen(server.url) as events,
        httpx.Client(
            base_url=server.url,
            timeout=DEADLINE,
            headers={"connection": "close"},  # so that each request may meet another worker
        ) as client,
    ):
        assert client.get("/products").json()["total"] == 360  # and not three times as many
        placed = [client.post("/orders", json=order(1, 1)).json()["id"] for _ in range(12)]
        assert placed == sorted(set(placed))
        assert [events.next_order()["id"] for _ in placed] == placed


def test_what_is_stored_is_there_after_a_restart(tmp_path: Path) -> None:
    with shop(tmp_path) as server:
        placed = httpx.post(f"{server.url}/orders", json=order(1, 2)).json()
        stored = httpx.post(f"{server.url}/files", files={"file": b"kept"}, auth=ADMIN).json()
    with shop(tmp_path) as server:
        assert httpx.get(f"{server.url}/orders/{placed['id']}").json() == placed
        assert httpx.get(f"{server.url}/files/{stored['id']}").content == b"kept"
        assert httpx.get(f"{server.url}/products").json()["total"] == 360


def test_says_so_when_the_password_is_the_demonstration_s(tmp_path: Path) -> None:
    with shop(tmp_path, SHOP_ADMIN_USER="admin", SHOP_ADMIN_PASSWORD="feather") as server:
        answer = httpx.get(f"{server.url}/admin/stats", auth=("admin", "feather"))
        assert answer.status_code == 200
        assert "demo password" in server.log
