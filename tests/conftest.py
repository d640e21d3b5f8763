"""What holds for every test."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("untimed", deadline=None)  # machines are shared: no test fails for being slow
settings.load_profile("untimed")
