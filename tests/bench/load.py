"""Fifty readers at once: ``python -m tests.bench.load [--readers 50] [--think 3] [--reruns 8]``.

Real websocket sessions speak Streamlit's protocol to some servers in turn: an empty Streamlit app, the dials and
buttons alone (Streamlit's own widgets: what no page that has them can be faster than), and the dashboard as a class
starts it. A reader follows a link, thinks, follows the next: presets, or settings of its own (another epsilon and seed
each time). Reported for each: all arriving at once, p50/p90/p99 of a rerun in ms (from the link sent to the script's
end), CPU of the server per rerun, its memory per session, kB received per rerun.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser import helpers

PRESETS = ["", "v=1&cloud=ring", "v=1&cloud=blobs", "v=1&cloud=uniform", "v=1&epsilon=0.5", "v=1&epsilon=2"]
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Seen:
    """What the readers of one server measured."""

    arrivals: list[float] = field(default_factory=list)
    reruns: list[float] = field(default_factory=list)
    received: int = 0


async def run_script(socket: websockets.ClientConnection, query: str) -> tuple[float, int]:
    """Follow a link; seconds until the script has ended, and bytes received."""
    message = BackMsg()
    message.rerun_script.query_string = query
    start, received, began = time.perf_counter(), 0, False
    await socket.send(message.SerializeToString())
    while True:
        data = await socket.recv()
        received += len(data)
        answer = ForwardMsg.FromString(data)
        kind = answer.WhichOneof("type")
        began = began or kind == "new_session"
        if kind == "script_finished" and began:
            return time.perf_counter() - start, received


async def reader(url: str, links: list[str], think: float, together: asyncio.Barrier, seen: Seen) -> None:
    address = url.replace("http", "ws", 1) + "/_stcore/stream"
    async with websockets.connect(address, subprotocols=["streamlit"], max_size=None, ping_interval=None) as socket:
        await together.wait()
        seconds, _ = await run_script(socket, links[0])
        seen.arrivals.append(seconds)
        await together.wait()
        for link in links[1:]:
            await asyncio.sleep(random.uniform(0.5, 1.5) * think)
            seconds, received = await run_script(socket, link)
            seen.reruns.append(seconds)
            seen.received += received
        await together.wait()  # all sessions stay open until the memory has been read


def cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(pid: int) -> float:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def server_pid(port: int) -> int:
    """The process that serves: the one started here, found by its port among this process's children."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes().decode().split("\0")
            except OSError:
                continue
            if any(str(port) in part for part in command):
                return int(entry.name)
    raise RuntimeError(f"no server on port {port}")


async def measured(name: str, url: str, links: list[list[str]], think: float) -> dict[str, float]:
    pid, seen = server_pid(int(url.rsplit(":", 1)[1])), Seen()
    before = memory(pid)
    together = asyncio.Barrier(len(links) + 1)
    readers = [asyncio.create_task(reader(url, own, think, together, seen)) for own in links]
    await together.wait()
    await together.wait()
    used = cpu(pid)
    await together.wait()
    used, after = cpu(pid) - used, memory(pid)
    await asyncio.gather(*readers)
    p50, p90, p99 = np.percentile(1e3 * np.array(seen.reruns), [50, 90, 99])
    count = len(seen.reruns)
    result = {
        "arrive s": max(seen.arrivals),
        "p50": p50,
        "p90": p90,
        "p99": p99,
        "CPU ms": 1e3 * used / count,
        "MB/session": (after - before) / len(links),
        "kB": seen.received / count / 1e3,
    }
    print(f"{name:28}" + "".join(f"{value:12.1f}" for value in result.values()), flush=True)
    return result


EMPTY = "import streamlit as st\nst.title('Empty')\n"
PANEL = """import os
os.environ["PRIVCORE_CLASSROOM"] = "1"
from dashboard.views.panel import panel
from dashboard.views.toolbar import toolbar
panel("Explore", with_axes=False)
toolbar()
"""


@contextmanager
def app(text: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script.py"
        script.write_text(text)
        with helpers.script_server(script) as url:
            yield url


@contextmanager
def classroom() -> Iterator[str]:
    port = helpers.free_port()
    with helpers.running(["-m", "dashboard", "--port", str(port), "--classroom"], port) as url:
        yield url


def links(readers: int, reruns: int, own: float) -> list[list[str]]:
    """For each reader the links that are followed: a preset, or with probability `own` settings of its own."""

    def one() -> str:
        if random.random() < own:
            return f"v=1&n=2000&epsilon={random.choice((0.3, 0.7, 1.5, 3))}&seed={random.randrange(10**6)}"
        return random.choice(PRESETS)

    return [["", *(one() for _ in range(reruns))] for _ in range(readers)]


async def warm(url: str) -> None:
    """See every preset once, as the first class of the day does."""
    await reader(url, [*PRESETS, ""], 0.0, asyncio.Barrier(1), Seen())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--think", type=float, default=3.0)
    parser.add_argument("--reruns", type=int, default=8)
    options = parser.parse_args()
    random.seed(1)
    print(f"{options.readers} readers, {options.think:g} s of thinking, {options.reruns} reruns each")
    print(" " * 28 + "".join(f"{name:>12}" for name in ("arrive s", "p50", "p90", "p99", "CPU ms", "MB/session", "kB")))
    with app(EMPTY) as url:
        empty = asyncio.run(measured("empty app", url, links(options.readers, options.reruns, 0.0), options.think))
    with app(PANEL) as url:
        asyncio.run(warm(url))
        found = asyncio.run(
            measured("dials and buttons alone", url, links(options.readers, options.reruns, 0.0), options.think)
        )
    print(f"{'':28}p90 {found['p90'] / empty['p90']:.1f} times the empty app's")
    for name, own in (("dashboard, presets", 0.0), ("dashboard, a third own", 1 / 3)):
        with classroom() as url:
            asyncio.run(warm(url))
            found = asyncio.run(measured(name, url, links(options.readers, options.reruns, own), options.think))
        print(f"{'':28}p90 {found['p90'] / empty['p90']:.1f} times the empty app's")


if __name__ == "__main__":
    main()
