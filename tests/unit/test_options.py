"""The options as Python sees them: names, defaults, types, precedence, errors."""

import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from alula import Config, ConfigError, Error
from alula._internal.options import Options
from alula.logging import LOGGING_CONFIG

STUB = Path(__file__).parents[2] / "python/alula/_alula.pyi"


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WEB_CONCURRENCY", "FORWARDED_ALLOW_IPS"):
        monkeypatch.delenv(name, raising=False)


def names() -> Iterator[str]:
    return (option["name"] for option in Config.options())


def cli(*arguments: str, **environ: str) -> Config:
    config = Config.from_cli(["serve", "main:app", *arguments], environ, "1")
    assert isinstance(config, Config)
    return config


def test_every_option_has_an_attribute_with_its_default() -> None:
    config = Config("main:app")
    for option in Config.options():
        if option["name"] not in {"app", "log_config"}:
            assert getattr(config, option["name"]) == option["default"], option["name"]
    assert config.app == "main:app"
    assert config.log_config is LOGGING_CONFIG


def test_defaults_are_uvicorns_but_for_two() -> None:
    config = Config()
    assert (config.host, config.port, config.workers, config.backlog) == (
        "127.0.0.1",
        8000,
        1,
        2048,
    )
    assert (config.timeout_keep_alive, config.timeout_worker_healthcheck) == (5, 5)
    assert (config.loop, config.lifespan, config.reload_delay) == ("auto", "auto", 0.25)
    assert (config.proxy_headers, config.forwarded_allow_ips) == (True, ["127.0.0.1", "::1"])
    assert (config.timeout_graceful_shutdown, config.h11_max_incomplete_event_size) == (30, 65536)


def test_keyword_types_and_stub_name_every_option() -> None:
    keywords = set(typing.get_type_hints(Options))
    assert keywords == set(names()) - {"app"}
    stub = STUB.read_text()
    for option in Config.options():
        if option["name"] not in {"app", "log_config"}:
            assert f"def {option['name']}(self) -> {option['type']}:" in stub


def test_a_configuration_survives_its_dictionary() -> None:
    config = Config(
        "main:app",
        port=1,
        headers={"A": "b"},
        timeout_write=2.5,
        use_colors=False,
        forwarded_allow_ips=[],
        log_level="debug",
    )
    again = Config(**config.to_dict())
    assert again.to_dict() == config.to_dict()
    assert (again.headers, again.forwarded_allow_ips) == ([("A", "b")], [])
    assert repr(config) == repr(again)
    assert "port=1" in repr(config)


def test_the_application_may_be_an_object() -> None:
    async def app(scope: object, receive: object, send: object) -> None: ...

    assert Config(app).app is app


def test_a_log_configuration_may_be_an_object_a_path_or_none(tmp_path: Path) -> None:
    path = tmp_path / "log.ini"
    path.write_text("")
    settings: dict[str, Any] = {"version": 1}
    assert Config(log_config=None).log_config is None
    assert Config(log_config=settings).log_config is settings
    assert Config(log_config=path).log_config == str(path)
    assert Config(**Config(log_config=None).to_dict()).log_config is None
    assert "log_config" not in Config().to_dict()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"port": 65536}, 'port: "65536" is not accepted; expected a whole number from 0 to 65535'),
        ({"port": -1}, 'port: "-1" is not accepted; expected'),
        ({"port": True}, 'port: "true" is not accepted'),
        (
            {"busy_poll": 0.002},
            'busy_poll: "0.002" is not accepted; expected seconds from 0 to 0.001',
        ),
        ({"reload": 1}, 'reload: "1" is not accepted; expected true or false'),
        ({"lifespan": "maybe"}, "expected one of auto, on, off"),
        ({"headers": [("a b", "c")]}, 'headers: "a b:c" is not accepted'),
        ({"headers": ["ab"]}, 'headers: "ab" is not accepted'),
        (
            {"env_file": "nowhere"},
            'env_file: "nowhere" is not accepted; expected a file that exists',
        ),
        ({"uds": "a", "fd": 3}, "fd: uds is set too"),
        ({"prot": 1}, "prot: there is no such option"),
        ({"ssl_keyfile": "k"}, "ssl_keyfile: TLS is not supported yet by this version of Alula"),
        ({"ws": "auto"}, "ws: WebSocket is not supported yet"),
        ({"timeout_write": object()}, 'timeout_write: "<object object at'),
    ],
    ids=str,
)
def test_errors_name_option_value_and_what_is_accepted(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Config(**options)
    assert text in str(caught.value)
    assert isinstance(caught.value, (Error, ValueError))


def test_options_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Config().port = 1  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(AttributeError, match="has no attribute 'prot'"):
        _ = Config().prot  # pyright: ignore[reportAttributeAccessIssue]


def test_precedence_is_command_line_environment_file_default(tmp_path: Path) -> None:
    file = tmp_path / "alula.toml"
    file.write_text("port = 1\nbacklog = 1\nworkers = 1\nroot_path = '/file'\n")
    config = cli("--port", "3", ALULA_CONFIG=str(file), ALULA_PORT="2", ALULA_BACKLOG="2")
    assert (config.port, config.backlog, config.workers) == (3, 2, 1)
    assert (config.root_path, config.host) == ("/file", "127.0.0.1")


def test_shared_variables_stand_between_ours_and_the_file(tmp_path: Path) -> None:
    file = tmp_path / "alula.toml"
    file.write_text("workers = 4\n")
    assert cli("--config", str(file), WEB_CONCURRENCY="3").workers == 3
    assert cli(WEB_CONCURRENCY="3", ALULA_WORKERS="2").workers == 2
    assert cli(FORWARDED_ALLOW_IPS="10.0.0.0/8").forwarded_allow_ips == ["10.0.0.0/8"]


def test_keywords_see_the_shared_variables_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEB_CONCURRENCY", "3")
    monkeypatch.setenv("ALULA_PORT", "9")
    assert (Config().workers, Config().port) == (3, 8000)
    assert Config(workers=2).workers == 2


def test_an_env_file_is_handed_on_and_counts_as_environment(tmp_path: Path) -> None:
    file = tmp_path / "env"
    file.write_text("SECRET='a b'\nALULA_PORT=4\nHOME=/elsewhere\n")
    config = cli("--env-file", str(file), HOME="/root")
    assert config.port == 4
    assert config.variables == {"SECRET": "a b", "ALULA_PORT": "4"}


def test_mistyped_variables_come_to_light() -> None:
    assert cli(ALULA_PROT="1", ALULA_PORT="1").unknown_variables == ["ALULA_PROT"]


@pytest.mark.parametrize(
    ("use", "place"),
    [
        (lambda _: cli("--port", "x"), '--port: "x" on the command line is not accepted'),
        (lambda _: cli(ALULA_PORT="x"), 'ALULA_PORT: "x" in the environment is not accepted'),
        (lambda path: cli("--config", path), 'port: "x" in {path} is not accepted'),
    ],
    ids=["command line", "environment", "file"],
)
def test_errors_name_the_source(use: Callable[[str], Config], place: str, tmp_path: Path) -> None:
    file = tmp_path / "alula.toml"
    file.write_text("port = 'x'\n")
    with pytest.raises(ConfigError) as caught:
        use(str(file))
    assert str(caught.value).startswith(place.format(path=file))


def test_help_and_version_are_texts() -> None:
    text = Config.from_cli(["serve", "--help"], {}, "1")
    assert isinstance(text, str)
    for option in Config.options():
        assert all(flag in text for flag in option["flags"])
    assert Config.from_cli(["--version"], {}, "the version") == "the version"
    assert "serve" in str(Config.from_cli([], {}, "1"))
