"""The command `alula routes`: what became of an application's routes."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

from alula._internal import importer, starting
from alula._internal.compiled import CompiledApp, RouteReport, compile_app
from alula._internal.exits import STARTUP_FAILURE
from alula.config import Config
from alula.errors import NotCompiled


def main(arguments: Sequence[str]) -> int:
    """Prints the routes. Returns the exit code: 1 if the application is not compiled at all."""
    given = _parser().parse_args(arguments)
    importer.add_app_dir(given.app_dir)
    config = Config(app=given.app, factory=given.factory)
    return starting.exit_code(lambda: _show(config, as_json=given.json))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="alula routes",
        description="List the routes of a FastAPI application: how each is compiled, or why not.",
    )
    parser.add_argument("app", metavar="APP", help="the application, as module:attribute")
    parser.add_argument(
        "--app-dir", default="", metavar="DIR", help="look for APP in this directory first"
    )
    parser.add_argument(
        "--factory",
        action="store_true",
        help="treat APP as a function without arguments that returns the application",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON array instead")
    return parser


def _show(config: Config, *, as_json: bool) -> int:
    app = starting.imported(config)
    try:
        compiled = compile_app(app)
    except NotCompiled as error:
        starting.complain(f"{config.app}: all of it runs as plain ASGI: {error}")
        return STARTUP_FAILURE
    text = _json(compiled) if as_json else _table(compiled.report())
    sys.stdout.write(text + "\n")
    return 0


def _json(compiled: CompiledApp) -> str:
    rows = [asdict(route) | {"compiled": route.compiled} for route in compiled.report()]
    return json.dumps(rows, indent=2)


def _table(routes: list[RouteReport]) -> str:
    rows = [
        (
            ",".join(route.methods) or "*",
            route.path,
            route.name,
            "compiled: " + ", ".join(route.steps)
            if route.compiled
            else f"plain ASGI: {route.reason}",
        )
        for route in routes
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    lines = [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]])
        for row in rows
    ]
    compiled = sum(route.compiled for route in routes)
    return "\n".join([*lines, f"{compiled} of {len(routes)} routes are compiled."])
