"""What the environment can change, read once when the application is imported."""

import os
from dataclasses import dataclass
from pathlib import Path

DEMO_PASSWORD = "feather"


@dataclass(frozen=True)
class Settings:
    """The shop's settings; the defaults are for a demonstration on your own machine."""

    database: Path
    admin_user: str
    admin_password: str
    cors_origins: tuple[str, ...]
    max_body: int = 64 * 1024
    """Bytes of a request body, other than an upload."""
    max_upload: int = 5 * 1024 * 1024
    """Bytes of an upload, its multipart framing included."""
    heartbeat: float = 10.0
    """Seconds of silence after which the event feed sends a comment."""

    @property
    def uploads(self) -> Path:
        """The folder of uploaded files, beside the database."""
        return self.database.parent / "files"

    @classmethod
    def from_environment(cls) -> "Settings":
        """Reads the ``SHOP_*`` variables."""
        default_database = Path(__file__).parent.parent / "data" / "shop.db"
        origins = os.environ.get("SHOP_CORS_ORIGINS", "http://localhost:3000,http://localhost:5173")
        return cls(
            database=Path(os.environ.get("SHOP_DATABASE") or default_database).absolute(),
            admin_user=os.environ.get("SHOP_ADMIN_USER", "admin"),
            admin_password=os.environ.get("SHOP_ADMIN_PASSWORD", DEMO_PASSWORD),
            cors_origins=tuple(origin.strip() for origin in origins.split(",") if origin.strip()),
            heartbeat=float(os.environ.get("SHOP_HEARTBEAT", "10")),
        )


settings = Settings.from_environment()
