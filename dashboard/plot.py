"""How a figure gets on the screen: one Streamlit component that hosts the plotly.js of the installed plotly package.

`plot` keeps its node over reruns, so zoom, hover and selection survive; the browser puts in the theme's colours;
numbers travel as raw bytes; a button of the figure opens the table behind it. `scrubber` is a slider that moves some
figures through precomputed frames without a rerun. The browser's half is `browser/plot.js`. Nothing else in the
dashboard knows the component.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import tempfile
import zlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import plotly
import plotly.graph_objects as go
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard import palette
from dashboard.text import figures as words

Table: TypeAlias = pd.DataFrame | list[dict[str, Any]]
"""A table: a frame, or a list of rows."""

Spec: TypeAlias = go.Figure | dict[str, Any]
"""A figure: plotly's own object, or its plain data and layout, which nothing has checked."""

FOLDER = Path(__file__).parent
BROWSER = FOLDER / "browser"
STATIC = FOLDER / "static"
PLOTLY_JS = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
MODULES = ("plot.js", "player.js")
TABLE_ROWS = 1000
# Streamlit sends no lifetime, so browsers keep a file for a tenth of its age; the name holds the version: be old.
LONG_AGO = 946_684_800
FASTEST = 1

SCALE = "plot_scale"
"""In the session's state: how much larger than usual type and figures are, for a projector."""

_BUTTON_HEIGHT = 28
_SCRUB_HEIGHT = 80
_NOTES_HEIGHT = 72


Notes: TypeAlias = list[tuple[str, str]]
"""Numbers by name, shown under a slider."""


@dataclass(frozen=True)
class Standing:
    """What a slider says while it rests: the state in words, and its numbers."""

    label: str
    notes: Notes


@dataclass(frozen=True)
class Frames:
    """Precomputed states of some figures, which a slider steps through in the browser.

    `figures` maps the key of a figure to its pictures, one a state; `labels` are the states in words, `notes` the
    numbers shown under the slider for each state, `meanings` says what they are by name; `low` and `high` name the ends
    of the slider.
    """

    figures: Mapping[str, Sequence[Spec]]
    labels: Sequence[str]
    label: str = "Frame"
    low: str = ""
    high: str = ""
    notes: Sequence[Notes] = ()
    meanings: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for key, pictures in self.figures.items():
            if not pictures or len(self.labels) != len(pictures):
                found = f"{len(pictures)} frames of {key!r} and {len(self.labels)} labels"
                raise ValueError(f"{found}: give at least one, and a label each")
        if self.notes and len(self.notes) != len(self.labels):
            raise ValueError(f"{len(self.labels)} frames and {len(self.notes)} notes: give none, or one for each frame")


@dataclass(frozen=True)
class Selection:
    """A box drawn on a figure: its range by axis (``{"x": (0.1, 0.4), "y": ...}``) and how many points it holds."""

    range: dict[str, tuple[float, float]]
    points: int


@dataclass(frozen=True)
class Packed:
    """What one message holds, read back: a figure, or the frames of several; and the options."""

    figure: go.Figure | None
    frames: dict[str, list[go.Figure]] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


def plot(
    figure: Spec,
    *,
    key: str,
    alt: str,
    data_id: str,
    height: int | None = None,
    scrubbed_by: str = "",
    at: int | None = None,
    own: Standing | None = None,
    on_select: Callable[[Selection | None], None] | bool = False,
    name: str | None = None,
    memo: dict[Hashable, bytes] | None = None,
    table: Table | None = None,
) -> Selection | None:
    """Draw a figure and, once the reader opens it, the table behind it; return the box that was selected on it.

    Args:
        figure: the picture. Its template is dropped: colours that it does not set come from the theme, and tokens of
            `dashboard.palette` follow it.
        key: names the figure on the page; its node lives as long as the key stays.
        alt: what the figure shows, in a sentence with its numbers, for those who cannot see it.
        data_id: digest of the data set. Zoom, camera and selection are kept as long as it stays the same.
        height: pixels; the figure's own height, or 420, if left out.
        scrubbed_by: the key of the `scrubber` that moves it, where there is one; the figures that name the same are of
            one size where they stand side by side.
        at: the frame of that scrubber which the figure stands at, to begin with.
        own: what that scrubber says of the figure, if it stands between two frames.
        on_select: True, or a function that is called with the box when one is drawn (None when it is removed).
        name: file name of downloaded pictures, without its ending; the key if left out.
        memo: belongs to this figure and keeps its messages, so that one shown again is not packed again.
        table: the numbers behind it. The figure offers a button for it; the browser alone knows whether it is open, so
            that the message of the figure stays what it is, and is neither sent nor drawn again.
    """
    if not alt.strip():
        raise ValueError(f"the figure {key!r} needs an alternative text")
    scale = float(st.session_state.get(SCALE, 1.0))
    layout = figure.get("layout", {}) if isinstance(figure, dict) else figure.layout.to_plotly_json()
    pixels = round((height or int(layout.get("height") or 420)) * scale)
    options = {
        "key": key,
        "name": name or key,
        "alt": alt,
        "data_id": data_id,
        "height": pixels,
        "select": bool(on_select),
        "group": scrubbed_by,
        "at": at,
        "own": None if own is None else (own.label, tuple(own.notes)),
        "scale": scale,
        "table": "" if table is None else words.TABLE,
    }
    state = _component(
        key=key,
        data=_packed(figure, {**urls(), **options}, memo),
        height=pixels + (0 if table is None else round(_BUTTON_HEIGHT * scale)),
        on_selection_change=lambda: _call(on_select, _selection(_state(key), data_id)),
        on_table_change=lambda: None,
    )
    if table is not None and state.get("table") is True:
        _rows(table)
    return _selection(state, data_id)


@dataclass(frozen=True)
class PackedFrames:
    """The message of a `scrubber`, made by `pack_frames`, with what the server must know of it."""

    message: bytes = field(repr=False)
    states: int
    with_notes: bool


def scrubber(frames: PackedFrames, *, key: str, on_frame: Callable[[int], None]) -> None:
    """Draw a slider that moves figures through their frames while it is dragged, and calls `on_frame` when let go.

    The frames do not say where the slider stands: that is `at` of the figures, so that a rerun which only moves the
    slider sends nothing of the frames again.
    """
    scale = float(st.session_state.get(SCALE, 1.0))

    def commit() -> None:
        frame = _state(key).get("frame")
        if isinstance(frame, int) and not isinstance(frame, bool):
            on_frame(min(max(frame, 0), frames.states - 1))

    _component(
        key=key,
        data=frames.message,
        height=round((_SCRUB_HEIGHT + (_NOTES_HEIGHT if frames.with_notes else 0)) * scale),
        on_frame_change=commit,
    )


def table(numbers: Table, *, key: str, label: str = words.READ_TABLE) -> None:
    """Offer a table that belongs to no one figure; it is sent only once it is opened."""
    box = st.expander(label, key=key, on_change="rerun")
    if box.open:
        with box:
            _rows(numbers)


def _rows(numbers: Table) -> None:
    """The rows of a table, at most `TABLE_ROWS`, and the page says so."""
    frame = pd.DataFrame(numbers)
    st.dataframe(frame.head(TABLE_ROWS), hide_index=True, width="stretch")
    if len(frame) > TABLE_ROWS:
        st.caption(words.TABLE_ROWS.format(most=TABLE_ROWS, rows=len(frame)))


# ---- the message: a head in JSON, then the arrays as raw bytes, deflated ---------------------------------------------


def _packed(figure: Spec, options: dict[str, Any], memo: dict[Hashable, bytes] | None) -> bytes:
    if memo is None:
        return pack(figure, options)
    name = tuple(options.items())
    if name not in memo:
        memo[name] = pack(figure, options)
    return memo[name]


def pack(figure: Spec, options: dict[str, Any]) -> bytes:
    """Return a message: the length of its head (4 bytes, little-endian), the head in JSON, the arrays' bytes.

    An array in the head is ``{"dtype", "shape", "bdata": [offset, length]}``; equal arrays are sent once. The whole is
    deflated at the fastest level, which takes milliseconds and leaves a third of the bytes, of a raster a twentieth.
    """
    store = _Store()
    return _message({**options, "figure": _plain(figure, store)}, store)


def pack_frames(frames: Frames, key: str) -> PackedFrames:
    """Return the message of a `scrubber`: all its frames, and none of the page's state."""
    store = _Store()
    pictures = {name: [_plain(item, store) for item in figures] for name, figures in frames.figures.items()}
    head = {
        "figures": pictures,
        "labels": list(frames.labels),
        "notes": [list(map(list, note)) for note in frames.notes],
        "meanings": dict(frames.meanings),
        "label": frames.label,
        "low": frames.low,
        "high": frames.high,
    }
    message = _message({**urls(), "key": key, "frames": head}, store)
    return PackedFrames(message, len(frames.labels), bool(frames.notes))


def unpack(message: bytes) -> Packed:
    """Read a message back; the inverse of `pack` and `pack_frames` up to the template, which is not sent."""
    plain = zlib.decompress(message)
    length = int.from_bytes(plain[:4], "little")
    head = json.loads(plain[4 : 4 + length])
    body = memoryview(plain)[4 + length :]
    figure, _ = head.pop("figure", None), head.pop("digest")
    frames = head.pop("frames", {})
    pictures = {
        key: [go.Figure(_restored(item, body)) for item in items] for key, items in frames.pop("figures", {}).items()
    }
    return Packed(None if figure is None else go.Figure(_restored(figure, body)), pictures, head | frames)


def pack_all(head: dict[str, Any]) -> bytes:
    """Return the message of a head that holds arrays anywhere in it, for a module other than plot.js."""
    store = _Store()
    return _message(_encoded(head, store), store)


def unpack_all(message: bytes) -> dict[str, Any]:
    """Read such a message back."""
    plain = zlib.decompress(message)
    length = int.from_bytes(plain[:4], "little")
    head: dict[str, Any] = _restored(json.loads(plain[4 : 4 + length]), memoryview(plain)[4 + length :])
    return head


def _message(head: dict[str, Any], store: _Store) -> bytes:
    text = json.dumps(head, separators=(",", ":"), allow_nan=False).encode()
    text = text[:-1] + b',"digest":"%s"}' % _digest(text, *store.seen)
    return zlib.compress(len(text).to_bytes(4, "little") + text + b"".join(store.parts), FASTEST)


def _digest(*parts: bytes) -> bytes:
    """Names a message by what it holds: the browser draws nothing again that it has drawn."""
    return hashlib.blake2b(b"".join(parts), digest_size=12).hexdigest().encode()


class _Store:
    """Collects the bytes of arrays, each distinct array once, at offsets that suit every number type."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0
        self.seen: dict[bytes, list[int]] = {}

    def put(self, data: bytes) -> list[int]:
        digest = hashlib.blake2b(data, digest_size=16).digest()
        if digest not in self.seen:
            padding = b"\0" * (-len(data) % 8)
            self.seen[digest] = [self.size, len(data)]
            self.parts += [data, padding]
            self.size += len(data) + len(padding)
        return self.seen[digest]


def _plain(figure: Spec, store: _Store) -> dict[str, Any]:
    if isinstance(figure, go.Figure):  # unlike figure.to_dict(), this keeps numpy arrays
        data, layout = [trace.to_plotly_json() for trace in figure.data], figure.layout.to_plotly_json()
    else:
        data, layout = figure["data"], figure.get("layout", {})
    layout = {key: value for key, value in layout.items() if key != "template"}
    return {"data": _encoded(data, store), "layout": _encoded(layout, store)}


def _encoded(value: Any, store: _Store) -> Any:
    if isinstance(value, np.ndarray):
        return _array(value, store)
    if isinstance(value, dict):
        return {str(key): _encoded(item, store) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encoded(item, store) for item in value]
    if isinstance(value, np.generic):
        return _encoded(value.item(), store)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"a figure holds a {type(value).__name__}, which can't be sent: {value!r}")


def _array(array: np.ndarray, store: _Store) -> Any:
    numbers = _browser_numbers(array)
    if numbers is None or not 1 <= array.ndim <= 3:
        return _encoded(array.tolist() if array.dtype.kind != "M" else array.astype(str).tolist(), store)
    code = f"{numbers.dtype.kind}{numbers.dtype.itemsize}"
    spec: dict[str, Any] = {"dtype": code, "bdata": store.put(np.ascontiguousarray(numbers).tobytes())}
    if array.ndim > 1:
        spec["shape"] = ",".join(map(str, array.shape))
    return spec


def _browser_numbers(array: np.ndarray) -> np.ndarray | None:
    """Return the array in a number type that the browser has, or None: it has no 64-bit integers and no halves."""
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind not in "iuf" or array.size == 0:
        return None
    if kind == "f":
        return array.astype("<f4" if size <= 4 else "<f8", copy=False)
    if size == 8:
        small = array.min() >= -(2**31) and array.max() < 2**31
        return array.astype("<i4" if small else "<f8")
    return array.astype(array.dtype.newbyteorder("<"), copy=False)


def _restored(value: Any, body: memoryview) -> Any:
    if isinstance(value, list):
        return [_restored(item, body) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("bdata"), list):
        offset, length = value["bdata"]
        array = np.frombuffer(body[offset : offset + length], dtype=f"<{value['dtype']}")
        return array.reshape([int(n) for n in value["shape"].split(",")]) if "shape" in value else array
    return {key: _restored(item, body) for key, item in value.items()}


# ---- what the browser sent back --------------------------------------------------------------------------------------


def _state(key: str) -> dict[str, Any]:
    return dict(st.session_state.get(key) or {})


def _selection(state: Mapping[str, Any], data_id: str) -> Selection | None:
    value = state.get("selection")
    if not isinstance(value, dict) or value.get("data_id") != data_id:
        return None  # a box on another data set says nothing about this one
    ranges = {axis: (float(ends[0]), float(ends[1])) for axis, ends in value["range"].items()}
    return Selection(ranges, int(value["points"]))


def _call(function: Any, value: Any) -> None:
    if callable(function):
        function(value)


# ---- the files the browser needs -------------------------------------------------------------------------------------


def install(folder: Path = STATIC) -> bool:
    """Copy our modules and plotly.js into the served folder, if missing; False if it cannot be written."""
    try:
        folder.mkdir(exist_ok=True)
        for source, name in _served().items():
            if not (folder / name).exists():
                _copy(source, folder / name)
    except OSError:
        return False
    return True


def _served() -> dict[Path, str]:
    """Each file and its name in the served folder, which says its version, so that browsers may keep it."""
    files = {PLOTLY_JS: f"plotly-{plotly.__version__}.min.js"}
    for path in (BROWSER / name for name in MODULES):
        files[path] = f"{path.stem}-{hashlib.blake2b(path.read_bytes(), digest_size=4).hexdigest()}.js"
    return files


def _copy(source: Path, target: Path) -> None:
    with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as copy:
        copy.write(source.read_bytes())
    os.chmod(copy.name, 0o644)
    os.utime(copy.name, (LONG_AGO, LONG_AGO))
    os.replace(copy.name, target)


_NAMES = _served()
_INSTALLED = install()


def urls(module: str = "plot.js") -> dict[str, str]:
    """The addresses of a module and of plotly.js: Streamlit's static folder, or else its route for assets."""
    context = get_script_run_ctx()
    return _urls_for("" if context is None else context.main_script_path, module)


@cache
def _urls_for(script: str, module: str) -> dict[str, str]:
    base = f"/{st.get_option('server.baseUrlPath').strip('/')}".rstrip("/")
    beside = bool(script) and Path(script).resolve().parent == FOLDER.resolve()
    if _INSTALLED and beside and st.get_option("server.enableStaticServing"):
        root = f"{base}/app/static"
        return {"module": f"{root}/{_NAMES[BROWSER / module]}", "plotly": f"{root}/{_NAMES[PLOTLY_JS]}"}
    _register_assets()
    root = f"{base}/_stcore/bidi-components"
    return {"module": f"{root}/privcore.plot/{module}", "plotly": f"{root}/privcore.plotly/plotly.min.js"}


def _register_assets() -> None:
    """Let Streamlit serve the files from where they are, for a folder that is read-only and for other scripts."""
    from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest
    from streamlit.runtime import Runtime

    if not Runtime.exists():
        return
    registry = Runtime.instance().bidi_component_registry
    for name, root, folder in (("plot", FOLDER, BROWSER.name), ("plotly", PLOTLY_JS.parents[1], PLOTLY_JS.parent.name)):
        if registry.get_component_asset_root(f"privcore.{name}") is None:
            manifest = ComponentManifest("privcore", plotly.__version__, [ComponentConfig(name, folder)])
            registry.register_from_manifest(manifest, root)


def _small(name: str) -> str:
    """A file that travels with every message, without its comments and indentation."""
    text = (BROWSER / name).read_text(encoding="utf-8")
    return "\n".join(re.sub(r"^//.*$", "", line.strip()) for line in text.splitlines() if line.strip())


def component(name: str, *styles: str) -> Any:
    """Register a component that lives in a node with the theme's colours and hands its data to a module of ours."""
    return st.components.v2.component(
        name,
        html='<div class="pc-plot"></div>',
        css=palette.stylesheet() + "".join(map(_small, styles)),
        js=_small("load.js"),
        isolate_styles=False,  # plotly.js puts its own style into the document's head, out of a shadow root's reach
    )


_component = component("privcore_plot", "plot.css")
