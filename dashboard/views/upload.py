"""The panel for a reader's own table: the file, its problems, the columns, and bounds that start empty."""

from __future__ import annotations

import streamlit as st

from dashboard import compute
from dashboard.compute import Data
from dashboard.settings import RANGES, Settings
from dashboard.text import explore as words
from dashboard.text.settings import literal
from dashboard.views import controls, session
from privcore.domain import Box
from privcore.errors import PrivcoreError
from privcore.tables import Problem, Table

EXACT = controls.EXACT
KINDS = ["csv", "tsv", "txt", "xlsx", "parquet", "pq"]
_SAY = {"error": st.error, "warning": st.warning, "note": st.caption}


def panel(settings: Settings) -> Data | None:
    """Let the reader choose a table, columns and bounds; None until all three are there."""
    file = st.file_uploader(words.UPLOAD, type=KINDS, help=words.UPLOAD_HELP, key="file")
    if file is None:
        return None
    content = file.getvalue()
    table = compute.table(compute.content_digest(content), content, file.name)
    for problem in table.problems:
        _say(problem)
    names = list(table.numeric.columns)
    if not names:
        if table.ok:
            st.error(words.NO_NUMBERS)
        return None
    columns = st.multiselect(words.COLUMNS, names, max_selections=int(RANGES["d"][1]), key=f"columns_{file.file_id}")
    if not columns:
        st.info(words.NO_COLUMNS)
        return None
    box = _bounds(columns, file.file_id)
    return None if box is None else _data(table, columns, box, settings)


def fitted(settings: Settings, data: Data) -> Settings:
    """The dials made to fit the table's dimension; its scenario is of no meaning."""
    session.kept().table_d = data.box.d
    fit, problems = session.fitted(settings, data.box.d)
    if fit != settings:
        session.adopt(fit, problems)
    return fit.replace(cloud="uniform", d=data.box.d)


def for_table(settings: Settings, data: Data) -> Settings:
    """Pinned dials, made to fit the table's dimension."""
    return session.fitted(settings, data.box.d)[0].replace(cloud="uniform", d=data.box.d)


def _bounds(columns: list[str], file_id: str) -> Box | None:
    st.caption(words.BOUNDS_HELP)
    low, high = [], []
    for name in columns:
        left, right = st.columns(2)
        keys = f"low_{file_id}_{name}", f"high_{file_id}_{name}"
        low.append(left.number_input(words.LOW.format(name=literal(name)), value=None, format=EXACT, key=keys[0]))
        high.append(right.number_input(words.HIGH.format(name=literal(name)), value=None, format=EXACT, key=keys[1]))
    missing = [name for name, *ends in zip(columns, low, high, strict=True) if None in ends]
    if missing:
        st.info(words.BOUNDS_MISSING.format(names=", ".join(map(literal, missing))))
        return None
    try:
        return Box([float(value or 0.0) for value in low], [float(value or 0.0) for value in high], names=columns)
    except PrivcoreError as problem:
        st.error(literal(str(problem)))
        return None


def _data(table: Table, columns: list[str], box: Box, settings: Settings) -> Data:
    points = table.points(columns, others="missing")
    valid = int(box.valid(points).sum())
    if valid < len(points):
        sentence = words.DROPPED if settings.neighbours == "add-remove" else words.CORNERED
        st.warning(sentence.format(dropped=len(points) - valid, n=len(points)))
    return compute.uploaded(points, box)


def _say(problem: Problem) -> None:
    _SAY[problem.level](literal(str(problem).removeprefix(f"{problem.level}: ")))
