"""Several clients at once, until enough has been asked, and samples of the server's memory."""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass

from serving import Server, children, rss

from soaking import mix
from soaking.client import Client

ADMIN = ("keeper", "not-the-demo-password")
SAMPLES = 200
"""How many times memory is looked at, evenly over the requests."""


@dataclass(frozen=True)
class Sample:
    """The server's memory at one moment."""

    requests: int
    bytes: int


class Soak:
    """One run."""

    def __init__(self, server: Server, requests: int, clients: int, seed: int) -> None:
        self.wanted = requests
        self.seconds = 0.0
        self.done: Counter[str] = Counter()
        self.errors: list[str] = []
        self.samples: list[Sample] = []
        self._server = server
        self._clients = [Client(server.port, number, seed, ADMIN) for number in range(clients)]

    @property
    def requests(self) -> int:
        """How many have been sent."""
        return sum(client.requests for client in self._clients)

    async def run(self) -> None:
        """Runs the clients to the end, or to the first wrong answer."""
        begun = time.monotonic()
        try:
            async with asyncio.TaskGroup() as tasks:
                for client in self._clients:
                    tasks.create_task(self._drive(client))
        except* Exception as group:
            self.errors += [f"{type(one).__name__}: {one}"[:2000] for one in group.exceptions]
        self.seconds = time.monotonic() - begun
        self._sample()

    async def _drive(self, client: Client) -> None:
        await mix.prepare(client)
        kinds, weights = list(mix.MIX), list(mix.MIX.values())
        while self.requests < self.wanted:
            for kind in client.random.choices(kinds, weights, k=10):
                await kind(client)
                self.done[kind.__name__] += 1
            if self.requests >= len(self.samples) * self.wanted // SAMPLES:
                self._sample()
        client.forget()

    def _sample(self) -> None:
        pids = children(self._server.pid) or [self._server.pid]
        self.samples.append(Sample(self.requests, max(rss(pid) for pid in pids)))
        if (len(self.samples) - 1) % (SAMPLES // 20) == 0:
            self._print(self.samples[-1])

    def _print(self, sample: Sample) -> None:
        share = 100 * sample.requests / self.wanted
        memory = sample.bytes / 2**20
        print(f"{share:4.0f} %  {sample.requests:9,} requests  RSS {memory:6.1f} MiB", flush=True)
