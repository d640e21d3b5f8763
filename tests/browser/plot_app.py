"""A small app for the browser tests of dashboard/plot.py: figures, a rerun counter, frames, a selection."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard import palette
from dashboard.plot import Frames, pack_frames, plot, scrubber, table

st.set_page_config(layout="wide")
st.session_state.runs = st.session_state.get("runs", 0) + 1
st.title("Plot test")
st.markdown(f"runs: `{st.session_state.runs}`")
amplitude = st.slider("Amplitude", 1, 10, 3)


def wave(scale: float, name: str = "") -> go.Figure:
    x = np.linspace(0, 1, 400)
    figure = go.Figure()
    figure.add_scatter(x=x, y=scale * np.sin(9 * x), name="release", line={"color": palette.RELEASE})
    figure.add_scatter(x=x, y=scale * np.cos(9 * x), name="private", line={"color": palette.PRIVATE, "dash": "dash"})
    figure.update_layout(title=f"A wave{name}", hovermode="x", xaxis_title="x", yaxis_title="amplitude")
    figure.add_annotation(
        text="NOT PRIVATE: shows the data",
        x=0,
        y=1,
        xref="paper",
        yref="paper",
        showarrow=False,
        xanchor="left",
        font={"color": palette.PRIVATE},
        bgcolor=palette.fade(palette.BACKGROUND, 80),
    )
    return figure


left, right = st.columns(2)
with left:
    rows = pd.DataFrame({"x": np.arange(1500), "amplitude": amplitude})
    alt = f"A sine and a cosine of amplitude {amplitude}"
    plot(wave(amplitude), key="wave", alt=alt, data_id="wave", height=360, table=rows)
    plot(wave(1), key="below", alt="A wave under another", data_id="wave", height=240, table=[{"x": 1}])
    table(rows, key="rows")
with right:
    points = np.random.default_rng(1).random((800, 2)).astype(np.float32)
    cloud = go.Figure(
        go.Scatter(x=points[:, 0], y=points[:, 1], mode="markers", marker={"color": palette.RELEASE, "size": 4})
    )
    box = plot(cloud, key="cloud", alt="800 uniform points", data_id="cloud", height=360, on_select=True)
    st.markdown(f"selected: `{box.points if box else 'none'}`")

steps = [wave(0.2 + 0.2 * i) for i in range(25)]
frames = Frames(
    {"frames": steps, "follow": [wave(5 - 0.2 * i, " that shrinks") for i in range(25)]},
    [f"{0.2 + 0.2 * i:.1f}" for i in range(25)],
    label="epsilon",
    low="more private",
    high="more accurate",
    notes=[[("Leaves", str(10 * i)), ("W1", f"{1 / (i + 1):.3f}")] for i in range(25)],
)
frame = st.session_state.setdefault("frame", 0)
scrubbed = {"data_id": "wave", "scrubbed_by": "scrub", "at": frame}
plot(steps[frame], key="frames", alt="A wave that grows", height=300, **scrubbed)
scrubber(pack_frames(frames, "scrub"), key="scrub", on_frame=lambda i: st.session_state.update(frame=i))
if st.toggle("Follower", value=True):
    shrinking = wave(5 - 0.2 * frame, " that shrinks")
    plot(shrinking, key="follow", alt="A wave that shrinks", height=200, table=[{"y": 1}], **scrubbed)
if st.button("Back to the start"):
    st.session_state.frame = 0
    st.rerun()
st.markdown(f"frame: `{frame}`")
