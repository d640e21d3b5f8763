"""The Explore page as a reader meets it: dials, link, theme, upload, downloads, and what it does for everybody."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Locator, Page, WebSocket, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from dashboard.text import explore as words
from privcore import Release
from tests.browser.conftest import Watched
from tests.browser.helpers import choose_theme, drag, open_page, settle

FIGURES = 4
MESSAGES = 47
"""What a rerun of the first view sends, at most: each costs the server about as much, whatever it holds."""
PARTS = tuple(words.PART_NAMES.values())
SMALL = "?v=1&n=200"
TABLE = "place;long;lat\n" + "".join(f"P{i};{i % 17},5;{(7 * i) % 11}\n" for i in range(200))


class Runs:
    """Counts the script runs that the server tells a page of, and keeps what came since `clear`."""

    def __init__(self, page: Page) -> None:
        self.count = 0
        self.messages: list[ForwardMsg] = []
        page.on("websocket", self._listen)

    def clear(self) -> None:
        self.messages = []

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._receive)

    def _receive(self, frame: bytes | str) -> None:
        if isinstance(frame, bytes):
            message = ForwardMsg.FromString(frame)
            self.messages.append(message)
            self.count += message.WhichOneof("type") == "new_session"


@pytest.fixture
def runs(page: Page) -> Runs:
    return Runs(page)


def figure(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-figure_{key} .pc-picture")


def metric(page: Page, label: str) -> str:
    streamlits = page.get_by_test_id("stMetric").filter(has_text=label).get_by_test_id("stMetricValue")
    return streamlits.or_(number(page, label)).inner_text()


def number(page: Page, label: str) -> Locator:
    """A number under the slider."""
    return page.locator(".st-key-scrub_epsilon dl > div").filter(has_text=label).locator("dd")


def epsilon(page: Page) -> Locator:
    return page.get_by_role("slider", name="Privacy budget ε")


def link_becomes(page: Page, query: str) -> None:
    """Wait until the link holds these dials, and the page has come to rest."""
    page.wait_for_function("query => decodeURIComponent(location.search) === query", arg=query)
    settle(page, figures=3)


def test_the_first_view_is_whole_and_comes_from_this_machine_alone(
    page: Page, dashboard_url: str, watched: Watched, runs: Runs
) -> None:
    open_page(page, dashboard_url, figures=FIGURES)
    assert watched.foreign(dashboard_url) == []
    assert watched.errors == []
    assert runs.count == 1
    expect(page.get_by_text("made from 2,000 people")).to_be_visible()
    texts = page.get_by_role("figure").evaluate_all("all => all.map(node => node.getAttribute('aria-label'))")
    assert len(texts) >= FIGURES
    assert all(re.search(r"\d", text) for text in texts)


def test_epsilon_by_keyboard_runs_the_script_once_and_keeps_the_zoom(
    page: Page, dashboard_url: str, runs: Runs
) -> None:
    open_page(page, dashboard_url, figures=FIGURES)
    figure(page, "partition").hover()
    page.locator(".st-key-figure_partition").get_by_label("Zoom", exact=True).click()
    drag(page, figure(page, "partition").locator(".nsewdrag").first, (0.3, 0.3), (0.7, 0.7))
    window = "gd => [...gd._fullLayout.xaxis.range, ...gd._fullLayout.yaxis.range]"
    zoomed, leaves, before = figure(page, "partition").evaluate(window), metric(page, "Leaves"), runs.count
    assert zoomed[1] - zoomed[0] < 0.6
    for commit, value in enumerate(("1.5", "2"), 1):
        epsilon(page).press("ArrowRight")
        link_becomes(page, f"?v=1&epsilon={value}")
        page.wait_for_timeout(200)  # a second run would show by now
        assert runs.count == before + commit
    assert metric(page, "Leaves") != leaves
    assert figure(page, "partition").evaluate(window) == zoomed


def drag_epsilon(page: Page, moves: int = 60, pause: int = 50) -> Locator:
    """Drag the slider of the picture from end to end, and leave the button down."""
    slider = page.get_by_role("slider", name="Drag ε")
    slider.scroll_into_view_if_needed()
    area = slider.bounding_box()
    assert area is not None
    middle = area["y"] + area["height"] / 2
    page.mouse.move(area["x"] + 8, middle)
    page.mouse.down()
    for i in range(moves):
        page.mouse.move(area["x"] + 8 + (area["width"] - 16) * i / (moves - 1), middle)
        page.wait_for_timeout(pause)
    return slider


def test_epsilon_is_dragged_without_the_server_and_committed_once(page: Page, dashboard_url: str, runs: Runs) -> None:
    frames: list[int] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(len(frame))))
    open_page(page, dashboard_url, figures=FIGURES)
    before = runs.count
    page.evaluate(
        """() => { window.seen = {partition: new Set(), measure: new Set()};
           for (const key of ['partition', 'measure']) {
             const gd = document.querySelector(`.st-key-figure_${key} .pc-picture`);
             gd.on('plotly_afterplot', () => window.seen[key].add(gd._fullData[0].y.length));
           } }"""
    )
    frames.clear()
    drag_epsilon(page)
    seen = page.evaluate("() => [window.seen.partition.size, window.seen.measure.size]")
    assert min(seen) >= 15
    assert frames == []
    noted = page.locator(".st-key-scrub_epsilon dd").first.inner_text()
    page.mouse.up()
    page.wait_for_function("() => location.search.includes('epsilon=5')")
    settle(page, figures=FIGURES)
    page.wait_for_timeout(300)  # a second run would show by now
    assert runs.count == before + 1
    assert metric(page, "Leaves") == noted
    assert figure(page, "partition").evaluate("gd => gd._fullData[0].y.length") == int(noted.replace(",", ""))


def test_a_box_on_the_map_is_counted_and_lights_its_leaves(page: Page, dashboard_url: str, runs: Runs) -> None:
    open_page(page, dashboard_url, figures=FIGURES)
    before = runs.count
    drag(page, figure(page, "partition").locator(".nsewdrag").first, (0.3, 0.3), (0.6, 0.6))
    expect(page.get_by_test_id("stMetric").filter(has_text="In the box: the data")).to_be_visible()
    settle(page, figures=FIGURES)
    page.wait_for_timeout(300)
    assert runs.count == before + 1
    assert int(metric(page, "In the box: the data").replace(",", "")) > 100
    names = "gd => gd._fullData.map(trace => trace.name)"
    assert "leaves in your box" in figure(page, "scatter").evaluate(names)
    assert "leaves in your box" in figure(page, "icicle").evaluate(names)
    assert "your box" in figure(page, "measure").evaluate(names)


def test_before_an_audience_the_keys_turn_epsilon_and_roll_the_noise(page: Page, dashboard_url: str) -> None:
    open_page(page, dashboard_url + "?present=1", figures=FIGURES)
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    size = "gd => gd._fullLayout.font.size"
    assert figure(page, "partition").evaluate(size) > 18
    picture = figure(page, "partition").bounding_box()
    leave = page.get_by_role("button", name="Leave projector").bounding_box()
    slider = page.get_by_role("slider", name="Drag ε").bounding_box()
    assert slider["y"] < picture["y"] < leave["y"]
    page.keyboard.press("ArrowLeft")
    link_becomes(page, "?v=1&epsilon=0.85&present=1")
    page.keyboard.press("n")
    link_becomes(page, "?v=1&epsilon=0.85&seed=1&present=1")
    page.keyboard.press("u")
    link_becomes(page, "?v=1&epsilon=0.85&present=1")


def test_a_projector_shows_maps_of_many_leaves_and_the_console_stays_quiet(page: Page, dashboard_url: str) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    open_page(page, dashboard_url + "?v=1&epsilon=20&present=1", figures=FIGURES)
    drawn = "gd => gd._fullData.map(trace => [trace.type, trace.visible])"
    assert figure(page, "measure").evaluate(drawn) == [["heatmap", True]]
    assert figure(page, "icicle").evaluate("gd => gd.data[0].customdata.bdata.byteLength") > 0
    assert not [text for text in said if "WARN" in text]


def test_titles_and_badges_are_whole_in_narrow_columns(page: Page, dashboard_url: str) -> None:
    page.set_viewport_size({"width": 1024, "height": 900})
    pins = "&pin=v%3D1&pin=epsilon%3D0.1&pin=epsilon%3D2&pin=d%3D1"
    open_page(page, dashboard_url + "?v=1&part=take" + pins, figures=6)
    outside = """gd => {
      const whole = gd.getBoundingClientRect();
      const parts = [gd.querySelector('.gtitle'), gd.querySelector('.annotation .bg')];
      return parts.map(node => node.getBoundingClientRect())
        .filter(box => box.top < whole.top - 1 || box.left < whole.left - 1 || box.right > whole.right + 1).length;
    }"""
    for gd in page.locator(".pc-picture").all():
        assert gd.evaluate(outside) == 0, gd.inner_text()


def test_the_table_of_a_figure_is_opened_by_key_and_no_figure_is_sent_or_drawn_again(
    page: Page, dashboard_url: str, runs: Runs
) -> None:
    open_page(page, dashboard_url, figures=FIGURES)
    page.evaluate("() => document.querySelectorAll('.pc-picture').forEach(gd => { gd._mine = gd._fullLayout; })")
    runs.clear()
    button = page.get_by_role("button", name="Table: True and released leaf counts")
    button.press("Enter")
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()
    settle(page, figures=FIGURES)
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(button).to_be_focused()
    figures = [message for message in runs.messages if message.delta.new_element.HasField("bidi_component")]
    assert figures == []
    assert sum(message.ByteSize() for message in runs.messages) < 30_000
    assert len(runs.messages) <= MESSAGES + 1  # the table
    assert page.evaluate("() => [...document.querySelectorAll('.pc-picture')].every(gd => gd._mine === gd._fullLayout)")


def test_the_link_of_a_class_is_made_by_keyboard(page: Page, dashboard_url: str) -> None:
    open_page(page, dashboard_url + SMALL, figures=FIGURES)
    page.get_by_role("button", name="Link").press("Enter")
    link = page.get_by_test_id("stPopoverBody").get_by_test_id("stCode")
    expect(link).to_contain_text("?v=1&n=200")
    page.get_by_role("checkbox", name="In projector mode").press("Space")
    expect(link).to_contain_text("?v=1&n=200&present=1")
    page.keyboard.press("Escape")
    expect(link).to_be_hidden()


def test_the_dark_theme_needs_no_run(page: Page, dashboard_url: str, runs: Runs) -> None:
    open_page(page, dashboard_url + SMALL, figures=FIGURES)
    before = runs.count
    ink = "gd => gd._fullLayout.font.color"
    assert figure(page, "scatter").evaluate(ink) == "#1a1a1a"
    choose_theme(page, "Dark")
    page.wait_for_function(
        "() => document.querySelector('.st-key-figure_scatter .pc-picture')._fullLayout.font.color === '#f2f2f2'"
    )
    assert page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor") == "rgb(18, 20, 23)"
    assert runs.count == before


def test_a_table_of_ones_own_from_the_file_to_the_figures(page: Page, dashboard_url: str, watched: Watched) -> None:
    open_page(page, dashboard_url, figures=FIGURES)
    page.get_by_role("radio", name="My table").press("Space")
    expect(page.get_by_text("Choose a table, its columns")).to_be_visible()
    file = {"name": "staff.csv", "mimeType": "text/csv", "buffer": TABLE.encode()}
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files([file])
    columns = page.get_by_role("combobox", name="Columns to use as axes")
    for name in ("long", "lat"):
        columns.click()
        page.get_by_role("option", name=name).click()
        settle(page, figures=0)
        page.keyboard.press("Escape")
    expect(page.get_by_text("Type the bounds of long, lat")).to_be_visible()
    assert page.locator(".pc-picture").count() == 0
    for label, value in (
        ("long: lowest", "0"),
        ("long: highest", "20"),
        ("lat: lowest", "0"),
        ("lat: highest", "12"),
    ):
        field = page.get_by_role("spinbutton", name=f"{label} possible value")
        field.fill(value)
        field.press("Enter")
        settle(page, figures=0)
    expect(page.get_by_text("made from 200 rows")).to_be_visible()
    settle(page, figures=FIGURES)
    assert figure(page, "partition").evaluate("gd => gd._fullLayout.xaxis.title.text") == "long"
    assert page.url.rstrip("/") == dashboard_url
    epsilon(page).press("ArrowRight")
    expect(page.get_by_test_id("stMetric").filter(has_text="Privacy spent")).to_contain_text("1.5")
    settle(page, figures=FIGURES)
    assert page.url.rstrip("/") == dashboard_url
    page.get_by_role("link", name="Watch").click()
    expect(page.get_by_text("The declared box holds 200 records")).to_be_visible()
    settle(page)
    page.get_by_role("link", name="Explore").click()
    expect(page.get_by_text("made from 200 rows")).to_be_visible()
    settle(page, figures=FIGURES)
    assert not [url for url in watched.requests if "staff" in url]
    assert watched.errors == []


def test_a_reload_and_the_back_button_restore_the_dials(page: Page, dashboard_url: str) -> None:
    open_page(page, dashboard_url + SMALL, figures=FIGURES)
    epsilon(page).press("ArrowRight")
    link_becomes(page, "?v=1&n=200&epsilon=1.5")
    leaves = metric(page, "Leaves")
    page.reload()
    settle(page, figures=FIGURES)
    expect(epsilon(page)).to_have_attribute("aria-valuetext", "1.5")
    assert metric(page, "Leaves") == leaves
    epsilon(page).press("ArrowRight")
    link_becomes(page, "?v=1&n=200&epsilon=2")
    page.go_back()
    link_becomes(page, "?v=1&n=200&epsilon=1.5")
    expect(epsilon(page)).to_have_attribute("aria-valuetext", "1.5")
    expect(page.get_by_test_id("stMetric").filter(has_text="Privacy spent")).to_contain_text("1.5")


def test_a_release_is_downloaded_twice_with_the_same_bytes(page: Page, dashboard_url: str, runs: Runs) -> None:
    open_page(page, dashboard_url + SMALL + "&part=take", figures=2)
    before, files = runs.count, []
    for _ in range(2):
        with page.expect_download() as download:
            page.get_by_role("button", name="Release (JSON)").click()
        files.append(Path(download.value.path()).read_bytes())
    assert files[0] == files[1]
    assert Release.from_json(files[0].decode()).box.d == 2
    assert runs.count == before


def test_a_narrow_page_has_no_sideways_scroll(page: Page, dashboard_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for part in ("leaves", "error", "take"):
        open_page(page, f"{dashboard_url}{SMALL}&pin=v%3D1&part={part}", figures=3)
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollWidth <= innerWidth")


def test_axe_finds_nothing_serious_in_either_theme(page: Page, dashboard_url: str) -> None:
    open_page(page, dashboard_url + SMALL + "&pin=epsilon%3D0.5", figures=FIGURES)
    for folded in ("More dials", "Type a box"):
        page.get_by_text(folded).click()
        settle(page, figures=FIGURES)
    for theme in ("Light", "Dark"):
        choose_theme(page, theme)
        for part in PARTS:
            page.get_by_role("radio", name=part).click()
            page.wait_for_timeout(300)
            settle(page, figures=3)
            assert serious(page) == [], (theme, part)


def test_the_numbers_under_the_slider_explain_themselves_by_key(page: Page, dashboard_url: str) -> None:
    open_page(page, dashboard_url, figures=FIGURES)
    meaning = page.get_by_text("Cells that were not split further.")
    expect(meaning).to_be_hidden()
    page.get_by_role("button", name="Leaves: what it means").press("Enter")
    expect(meaning).to_be_visible()
    assert serious(page) == []
    page.keyboard.press("Escape")
    expect(meaning).to_be_hidden()


@pytest.mark.parametrize("query", ["", "?present=1"])
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1366, 768)])
def test_what_a_number_means_is_whole_in_the_window(
    page: Page, dashboard_url: str, query: str, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    open_page(page, dashboard_url + query, figures=FIGURES)
    for name in words.NUMBERS:
        page.get_by_role("button", name=f"{name}: what it means").press("Enter")
        expect(page.locator(".pc-meaning:popover-open")).to_have_text(words.NUMBERS[name])
        expect(page.locator(".pc-meaning:popover-open")).to_be_in_viewport(ratio=1)
        page.keyboard.press("Escape")


def test_the_view_is_chosen_by_key_and_drawn_at_once(page: Page, dashboard_url: str, runs: Runs) -> None:
    open_page(page, dashboard_url, figures=FIGURES)
    page.get_by_role("button", name="View").press("Enter")
    page.get_by_role("radio", name="Atoms").press("Space")
    expect(figure(page, "measure").get_by_text("Released: atoms")).to_be_visible()
    settle(page, figures=FIGURES)
    page.keyboard.press("Escape")
    page.reload()
    settle(page, figures=FIGURES)
    assert number(page, "Leaves").inner_text() == "223"


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1366, 768)])
def test_the_slider_is_in_sight_beside_its_pictures(page: Page, dashboard_url: str, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    open_page(page, dashboard_url, figures=FIGURES)
    for key in ("partition", "measure"):
        figure(page, key).evaluate("node => node.scrollIntoView({block: 'start'})")
        page.wait_for_timeout(100)
        expect(page.get_by_role("slider", name="Drag ε")).to_be_in_viewport()
    page.get_by_text("Look closer").evaluate("node => node.scrollIntoView({block: 'start'})")
    page.wait_for_timeout(100)
    expect(page.get_by_role("slider", name="Drag ε")).not_to_be_in_viewport()


def serious(page: Page) -> list[tuple[str, str]]:
    """What axe calls serious or critical: the rule and the element."""
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    grave = [violation for violation in found if violation["impact"] in ("serious", "critical")]
    return [(violation["id"], node["html"][:200]) for violation in grave for node in violation["nodes"]]


def test_two_tabs_do_not_disturb_each_other(context: BrowserContext, page: Page, dashboard_url: str) -> None:
    open_page(page, dashboard_url + SMALL, figures=FIGURES)
    other = context.new_page()
    seen = Runs(other)
    open_page(other, dashboard_url + SMALL + "&epsilon=5", figures=FIGURES)
    before, alt = seen.count, figure(other, "partition").get_attribute("aria-label")
    epsilon(page).press("ArrowRight")
    link_becomes(page, "?v=1&n=200&epsilon=1.5")
    assert (seen.count, figure(other, "partition").get_attribute("aria-label")) == (before, alt)
    epsilon(other).press("ArrowLeft")
    link_becomes(other, "?v=1&n=200&epsilon=4")
    assert page.url.endswith("epsilon=1.5")
    expect(epsilon(page)).to_have_attribute("aria-valuetext", "1.5")
    other.close()


def test_a_square_takes_no_more_height_on_a_narrow_page_than_it_uses(page: Page, dashboard_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, dashboard_url + SMALL, figures=2)
    for key in ("partition", "measure"):
        page.wait_for_function(
            """key => {
                 const { _size, height } = document.querySelector(`.st-key-figure_${key} .pc-picture`)._fullLayout;
                 const holder = document.querySelector(`.st-key-figure_${key}`).clientHeight;
                 return Math.abs(_size.h - _size.w) < 15 && Math.abs(holder - height) < 40;
               }""",
            arg=key,
        )
    page.set_viewport_size({"width": 1440, "height": 900})
    page.wait_for_function("() => document.querySelector('.st-key-figure_partition .pc-picture').clientHeight === 580")


LABEL_ROOM = 48
"""Pixels that the numbers and the name of an axis take beside a cube."""
CORNERS = """() => {
  const { glplot } = document.querySelector('.st-key-figure_measure .pc-picture')._fullLayout.scene._scene;
  const { model, view, projection } = glplot.cameraParams;
  const times = (m, v) => [0, 1, 2, 3].map((i) => v.reduce((sum, x, k) => sum + m[4 * k + i] * x, 0));
  const [low, high] = glplot.bounds;
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [0, 1, 2].map((axis) => (k >> axis & 1 ? high : low)[axis]));
  const placed = corners.map((corner) => [model, view, projection].reduce((v, m) => times(m, v), [...corner, 1]));
  const { clientWidth: wide, clientHeight: tall } = glplot.canvas;
  return placed.map(([x, y, , w]) => [0.5 * (1 + x / w) * wide, 0.5 * (1 - y / w) * tall, wide, tall]);
}"""


def test_the_labels_of_a_scene_have_room_beside_it_on_a_narrow_page(page: Page, dashboard_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, dashboard_url + "?v=1&n=200&d=3&cloud=uniform", figures=2)
    page.wait_for_timeout(500)
    x, y, width, height = np.asarray(page.evaluate(CORNERS)).T
    assert x.min() >= LABEL_ROOM
    assert x.max() <= width[0] - LABEL_ROOM
    assert y.min() >= 0
    assert y.max() <= height[0] - LABEL_ROOM / 2
    assert np.ptp(x) > width[0] / 2


@pytest.mark.parametrize("query", ["", "?v=1&cloud=uniform&d=5", "?v=1&epsilon=20", "?v=1&n=200&d=3&cloud=uniform"])
@pytest.mark.parametrize("width", [1366, 390])
def test_the_data_and_the_release_are_of_one_size(page: Page, dashboard_url: str, query: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    open_page(page, f"{dashboard_url}/{query}", figures=2)
    page.wait_for_timeout(500)  # the one that was drawn first may be drawn again, for the title of the other
    size = "gd => [gd._fullLayout._size.w, gd._fullLayout._size.h, gd.clientHeight]"
    if "d=3" not in query:
        size = "gd => [gd._fullLayout.xaxis._length, gd._fullLayout.yaxis._length].map(Math.round)"
    data, release = (figure(page, key).evaluate(size) for key in ("partition", "measure"))
    assert data == release


def place(page: Page, where: str) -> dict[str, float]:
    """Where an element is in the window: left, top, right and bottom."""
    return page.evaluate("where => document.querySelector(where).getBoundingClientRect().toJSON()", where)


def test_the_whole_maps_are_above_the_slider_on_a_laptop(page: Page, dashboard_url: str) -> None:
    page.set_viewport_size({"width": 1366, "height": 768})
    open_page(page, dashboard_url, figures=FIGURES)
    slider = place(page, ".pc-scrub")
    for key in ("partition", "measure"):
        assert place(page, f".st-key-figure_{key} .nsewdrag")["bottom"] < slider["top"]
    assert place(page, ".pc-notes")["bottom"] <= 768
    assert place(page, ".pc-notes")["left"] > slider["right"]
    width = slider["right"] - slider["left"]
    for _ in range(8):  # the slider is as wide at every frame, or it would slip from under the hand
        page.get_by_role("slider", name="Drag ε").press("ArrowLeft")
        assert place(page, ".pc-scrub")["right"] - place(page, ".pc-scrub")["left"] == width


def test_a_projectors_slider_stays_above_its_pictures(page: Page, dashboard_url: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    open_page(page, dashboard_url + "?present=1", figures=FIGURES)
    page.mouse.move(600, 400)
    page.mouse.wheel(0, 400)
    page.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollTop > 300")
    expect(page.get_by_role("slider", name="Drag ε")).to_be_in_viewport(ratio=1)
    expect(number(page, "W1 error")).to_be_in_viewport(ratio=1)
    assert place(page, "[data-testid=stHeader]")["bottom"] <= place(page, ".pc-scrub")["top"]


def test_what_has_the_focus_is_not_behind_the_slider(page: Page, dashboard_url: str) -> None:
    page.set_viewport_size({"width": 1366, "height": 768})
    open_page(page, dashboard_url, figures=FIGURES)
    button = page.get_by_role("button", name="Table: Released: mass of the cells")
    page.evaluate(
        "dy => document.querySelector('[data-testid=stMain]').scrollBy(0, dy)", button.bounding_box()["y"] - 730
    )
    page.wait_for_timeout(100)
    assert button.bounding_box()["y"] > place(page, ".pc-scrub")["top"]
    button.focus()
    page.wait_for_timeout(100)
    assert button.bounding_box()["y"] + button.bounding_box()["height"] <= place(page, ".pc-scrub")["top"]
    scrolled = "() => document.querySelector('[data-testid=stMain]').scrollTop"
    before = page.evaluate(scrolled)
    page.get_by_role("slider", name="Drag ε").focus()  # it is in sight
    page.wait_for_timeout(100)
    assert page.evaluate(scrolled) == before


def test_the_tools_of_a_table_leave_its_button_alone(page: Page, dashboard_url: str) -> None:
    open_page(page, dashboard_url + SMALL, figures=FIGURES)
    button = page.get_by_role("button", name="Table: True and released leaf counts")
    button.click()
    page.get_by_test_id("stDataFrame").hover()
    expect(page.get_by_test_id("stElementToolbar")).to_be_visible()
    tools, closes = page.get_by_test_id("stElementToolbar").bounding_box(), button.bounding_box()
    assert closes["x"] + closes["width"] < tools["x"]


@pytest.mark.parametrize(("width", "height"), [(390, 844), (844, 390)])
def test_the_mode_bar_of_a_phone_covers_no_words(
    browser: Browser, browser_context_args: dict[str, Any], dashboard_url: str, width: int, height: int
) -> None:
    phone = {"viewport": {"width": width, "height": height}, "has_touch": True, "is_mobile": True}
    context = browser.new_context(**browser_context_args | phone)
    page = context.new_page()
    open_page(page, dashboard_url + SMALL + "&pin=v%3D1", figures=2)
    covered = """gd => {
      const box = (node) => node.getBoundingClientRect();
      const bar = box(gd.querySelector('.modebar')), root = gd.closest('[data-testid=stElementContainer]');
      const meets = (one) =>
        bar.left < one.right && one.left < bar.right && bar.top < one.bottom && one.top < bar.bottom;
      const words = [...gd.querySelectorAll('text, .annotation'), ...root.querySelectorAll('.pc-table')];
      return [words.filter((node) => meets(box(node))).length, bar.bottom - box(root).bottom, bar.width];
    }"""
    for gd in page.locator(".pc-picture").all():
        over, below, wide = gd.evaluate(covered)
        assert (over, wide > 0) == (0, True), gd.get_attribute("aria-label")
        assert below <= 0
    context.close()
