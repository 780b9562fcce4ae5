"""What goes in and out as JSON."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Id = Annotated[int, Field(ge=1, lt=2**63)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Cents = Annotated[int, Field(ge=0, le=100_000_000, description="A price in cents")]
Stock = Annotated[int, Field(ge=0, le=1_000_000_000)]


class _Input(BaseModel):
    model_config = ConfigDict(extra="forbid")  # a misspelt field is an error, not a silent no-op


class Paging(_Input):
    """Which part of a list."""

    limit: int = Field(20, ge=1, le=100)
    offset: int = Field(0, ge=0, lt=2**63)


class ProductFilter(Paging):
    """Which products, in which order."""

    category: str | None = None
    min_price: Cents | None = None
    max_price: Cents | None = None
    in_stock: bool | None = None
    sort: Literal["id", "name", "price", "-price"] = "id"


class NewProduct(_Input):
    """A product to be created."""

    sku: Annotated[str, StringConstraints(pattern=r"^[A-Z0-9][A-Z0-9-]{2,31}$")]
    name: Text
    description: Annotated[str, StringConstraints(max_length=2000)] = ""
    category: Text
    price_cents: Cents
    stock: Stock = 0


class ProductChange(_Input):
    """The fields of a product to be changed; what is left out stays."""

    name: Text = ""
    description: Annotated[str, StringConstraints(max_length=2000)] = ""
    category: Text = ""
    price_cents: Cents = 0
    stock: Stock = 0


class Product(BaseModel):
    """A product as it is stored."""

    id: int
    sku: str
    name: str
    description: str
    category: str
    price_cents: int
    stock: int


class ProductPage(BaseModel):
    """A part of the product list, and how many there are in all."""

    items: list[Product]
    total: int


class Hit(BaseModel):
    """A search result."""

    id: int
    name: str
    category: str
    price_cents: int
    stock: int
    snippet: str


class NewOrderLine(_Input):
    """So many of a product."""

    product_id: Id
    quantity: int = Field(ge=1, le=1000)


class NewOrder(_Input):
    """An order to be placed."""

    customer: Text
    lines: list[NewOrderLine] = Field(min_length=1, max_length=20)


class OrderLine(BaseModel):
    """A line of an order, with the name and the price of the day."""

    product_id: int | None = Field(description="Null when the product has been deleted since")
    name: str
    price_cents: int
    quantity: int


class OrderSummary(BaseModel):
    """An order without its lines."""

    id: int
    customer: str
    total_cents: int
    created_at: str


class Order(OrderSummary):
    """An order as it is stored."""

    lines: list[OrderLine]


class OrderPage(BaseModel):
    """A part of the orders, newest first, and how many there are in all."""

    items: list[OrderSummary]
    total: int


class StoredFile(BaseModel):
    """An uploaded file."""

    id: str
    name: str
    media_type: str
    size: int
    sha256: str


class Restock(_Input):
    """How many have arrived."""

    quantity: int = Field(ge=1, le=1_000_000)


class Stats(BaseModel):
    """The shop in four numbers."""

    products: int
    out_of_stock: int
    orders: int
    revenue_cents: int
