"""Starts the dashboard: ``python -m dashboard [--port 8501] [--address 127.0.0.1] [--classroom]``."""

from __future__ import annotations

import argparse
import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from dashboard.limits import CLASSROOM

DEFAULT_PORT = 8501
TRIES = 50


def main(arguments: Sequence[str] | None = None) -> int:
    """Start Streamlit on app.py and serve until it is interrupted; the exit code is 2 if the port cannot be had."""
    options = _parser().parse_args(arguments)
    port = _port(options.address, options.port)
    if port is None:
        wanted = options.port or f"{DEFAULT_PORT} to {DEFAULT_PORT + TRIES - 1}"
        print(f"Port {wanted} on {options.address} cannot be used: choose another one with --port.", file=sys.stderr)
        return 2
    shown = f"[{options.address}]" if ":" in options.address else options.address
    if options.classroom:
        os.environ[CLASSROOM] = "1"
    print(f"Dashboard on http://{shown}:{port} (Ctrl+C stops it)", flush=True)
    # Many sessions on few cores: one thread each is faster than each taking all of them.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")

    from streamlit.web import cli

    # Before the first reader comes: load and compile what every page needs, and put plotly.js into the served folder.
    from dashboard import plot

    plot.install()
    _compile()

    flags = [f"--server.port={port}", f"--server.address={options.address}", "--logger.hideWelcomeMessage=true"]
    cli.main(["run", str(Path(__file__).with_name("app.py")), *flags], prog_name="streamlit")
    return 0


def _compile() -> str:
    """Run the compiled code once, and name its method: a reader's time limit is not for the compiler.

    The first view's distance, since a smaller one is found without compiled code.
    """
    from privcore import Parameters, simulate
    from privcore.clouds import box_of, make

    return simulate(make("city", 2000, 2, 0), box_of("city", 2), Parameters(1.0), seed=0).w1.method


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m dashboard", description="Serve the dashboard on this machine.")
    parser.add_argument("--port", type=_port_number, help=f"default: the first free one from {DEFAULT_PORT}")
    parser.add_argument("--address", default="127.0.0.1", help="where to listen; 0.0.0.0 opens it to the network")
    parser.add_argument(
        "--classroom", action="store_true", help="for many readers: uploads off, limits on data and time"
    )
    return parser


def _port_number(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{number} is not a port: 1 to 65535")
    return number


def _port(address: str, wanted: int | None) -> int | None:
    ports = [wanted] if wanted else range(DEFAULT_PORT, DEFAULT_PORT + TRIES)
    return next((port for port in ports if _is_free(address, port)), None)


def _is_free(address: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True


if __name__ == "__main__":
    sys.exit(main())
