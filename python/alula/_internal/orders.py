"""What a supervisor tells a worker to do, in a form that can be sent."""

import json
import sys
from dataclasses import asdict, dataclass, field
from typing import Any

from alula._internal import logs
from alula.config import Config

_SETTLED = ("config", "env_file")
"""Options whose effect is in the others and in the environment already."""


@dataclass
class Order:
    """What a worker has to do."""

    options: dict[str, Any]
    """The options, as keyword arguments of `Config`; a log configuration in its portable form."""
    sys_path: list[str]
    """Where modules are looked for."""
    listeners: list[int] = field(default_factory=list[int])
    """The descriptors of the sockets to listen on."""

    @classmethod
    def of(cls, config: Config) -> "Order":
        """An order to serve with these options. Raises `ConfigError` if they cannot be sent."""
        options = config.to_dict()
        for name in _SETTLED:
            del options[name]
        if "log_config" in options:
            options["log_config"] = logs.portable(options["log_config"])
        return cls(options, list(sys.path))

    @property
    def config(self) -> Config:
        """The options."""
        options = dict(self.options)
        if "log_config" in options:
            options["log_config"] = logs.restored(options["log_config"])
        return Config(**options)

    def encode(self) -> bytes:
        """One line of JSON."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def decode(cls, line: bytes) -> "Order":
        """The order that the line holds."""
        return cls(**json.loads(line))
