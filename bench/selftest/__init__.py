"""The ruler measured: `python -m pytest bench/selftest`."""
