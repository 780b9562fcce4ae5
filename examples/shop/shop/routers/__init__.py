"""The parts of the API, a module each."""
