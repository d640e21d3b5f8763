"""The Watch page as a reader meets it: it plays, steps and leaps without the server, by mouse and by keyboard."""

from __future__ import annotations

import re

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, WebSocket, expect

from privcore import Parameters, Simulation
from privcore.clouds import box_of, make
from privcore.simulation import simulate
from tests.browser.conftest import Watched
from tests.browser.helpers import choose_theme, settle

SMALL = "?v=1&n=200"


class Frames:
    """Counts the websocket frames of a page, in both directions."""

    def __init__(self, page: Page) -> None:
        self.count = 0
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framesent", self._one)
        socket.on("framereceived", self._one)

    def _one(self, frame: bytes | str) -> None:
        self.count += bool(frame)


@pytest.fixture
def frames(page: Page) -> Frames:
    return Frames(page)


def watch(page: Page, url: str, query: str = SMALL) -> None:
    page.goto(f"{url}/watch{query}")
    settle(page, figures=2)  # three until the tree is finished
    expect(sentence(page)).not_to_be_empty()


def run(n: int = 200) -> Simulation:
    return simulate(make("city", n=n, d=2, seed=0), box_of("city", 2), Parameters(1.0), 0)


def sentence(page: Page) -> Locator:
    return page.locator(".pc-sentence")


def scrubber(page: Page) -> Locator:
    return page.get_by_role("slider", name="Step")


def step(page: Page) -> int:
    return int(scrubber(page).input_value())


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def shapes(page: Page, picture: str) -> str:
    """What is drawn over a figure, as one text."""
    drawn = page.locator(f".pc-picture-{picture} .pc-picture")
    return str(drawn.evaluate("gd => JSON.stringify((gd.layout.shapes ?? []).map(shape => shape.path))"))


def test_stepping_says_the_numbers_of_each_cell(page: Page, dashboard_url: str) -> None:
    watch(page, dashboard_url)
    simulation, button_step = run(), button(page, "Step")
    expect(sentence(page)).to_contain_text("200 records")
    for node in np.flatnonzero(simulation.tree.active)[:12]:
        button_step.click()
        said = sentence(page).inner_text().replace("\u2212", "-")
        assert f"Depth {simulation.tree.depth[node]}: a count of {simulation.visits.count[node]}," in said
        assert f"Noise {simulation.visits.noise[node]:+.2f} makes" in said
        assert ("split" in said) == bool(simulation.visits.split[node])
    assert step(page) == 12
    button(page, "Back").click()
    assert step(page) == 11


def test_nothing_that_plays_needs_the_server(page: Page, dashboard_url: str, frames: Frames) -> None:
    watch(page, dashboard_url)
    page.wait_for_timeout(500)
    before, drawn = frames.count, shapes(page, "map")
    button(page, "Play").click()
    page.wait_for_function("() => Number(document.querySelector('.pc-player > input').value) >= 3")
    page.get_by_label("Speed").select_option("1")
    button(page, "Pause").click()
    button(page, "Step").click()
    button(page, "Next split that only noise made").click()
    button(page, "Projection").click()
    button(page, "Sample").click()
    scrubber(page).press("ArrowLeft")
    page.keyboard.press("Home")
    button(page, "Step").click()
    page.wait_for_timeout(500)
    assert frames.count == before
    assert shapes(page, "map") != drawn


def test_playing_runs_through_to_the_end_and_begins_anew(page: Page, dashboard_url: str) -> None:
    watch(page, dashboard_url, "?v=1&n=1")
    page.clock.install()
    button(page, "Sample").click()
    last = step(page)
    button(page, "Play").click()
    page.clock.run_for(1200)
    assert 0 < step(page) < last
    for _ in range(60):
        page.clock.run_for(1000)
    assert step(page) == last
    expect(button(page, "Play")).to_be_visible()


def test_keys_step_play_and_leap(page: Page, dashboard_url: str) -> None:
    watch(page, dashboard_url)
    page.locator("h1").click()
    for key, at in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        assert step(page) == at
    page.keyboard.press("Space")
    expect(button(page, "Pause")).to_be_visible()
    page.keyboard.press("Space")
    expect(button(page, "Play")).to_be_visible()
    button(page, "Step").focus()
    page.keyboard.press("End")
    assert step(page) == int(scrubber(page).get_attribute("max") or 0)
    page.keyboard.press("Home")
    assert step(page) == 0
    page.keyboard.press("Shift+ArrowRight")
    assert step(page) > 0
    at = step(page)
    button(page, "Back").focus()
    page.keyboard.press("Space")  # a button keeps its own key
    assert step(page) == at - 1
    expect(button(page, "Play")).to_be_visible()


def test_the_keys_of_a_dial_stay_its_own(page: Page, dashboard_url: str) -> None:
    watch(page, dashboard_url)
    page.get_by_role("slider", name="Privacy budget ε").press("ArrowRight")
    page.wait_for_function("() => location.search.includes('epsilon=1.5')")
    settle(page, figures=3)
    assert step(page) == 0


def test_the_next_split_that_only_noise_made_is_one(page: Page, dashboard_url: str) -> None:
    watch(page, dashboard_url)
    simulation, leap = run(), button(page, "Next split that only noise made")
    nodes = np.flatnonzero(simulation.tree.active)
    lucky = simulation.visits.split[nodes] & (simulation.visits.margin[nodes] <= 0)
    for wanted in 1 + np.flatnonzero(lucky):
        leap.click()
        assert step(page) == wanted
        expect(sentence(page)).to_contain_text("split by noise alone")
    expect(leap).to_have_attribute("aria-disabled", "true")
    at = step(page)
    leap.click(force=True)
    assert step(page) == at


def test_map_and_tree_are_linked_and_a_click_goes_to_the_cell(page: Page, dashboard_url: str) -> None:
    watch(page, dashboard_url)
    for _ in range(4):
        button(page, "Step").click()
    settle(page, figures=3)
    drawn = shapes(page, "map"), shapes(page, "tree")
    button(page, "Step").click()
    page.wait_for_timeout(300)
    assert shapes(page, "map") != drawn[0]
    assert shapes(page, "tree") != drawn[1]
    button(page, "The tree").click()
    settle(page, figures=2)
    area = page.locator(".pc-picture-map .nsewdrag").first.bounding_box()
    assert area
    page.mouse.click(area["x"] + 0.3 * area["width"], area["y"] + 0.3 * area["height"])
    simulation = run()
    node = simulation.tree.leaves[simulation.tree.leaf_of(np.array([[0.3, 0.7]]))[0]]
    where = np.flatnonzero(np.flatnonzero(simulation.tree.active) == node)[0] + 1
    assert step(page) == where
    expect(sentence(page)).to_contain_text(f"a count of {simulation.visits.count[node]},")


def tip(page: Page, picture: str) -> Locator:
    return page.locator(f".pc-picture-{picture} > .pc-tip")


def hover(page: Page, picture: str, x: float, y: float) -> None:
    """Point at a place of the first panel of a picture, as parts of its size from its upper left corner."""
    area = page.locator(f".pc-picture-{picture} .nsewdrag[data-subplot=xy]").bounding_box()
    assert area
    page.mouse.move(area["x"] + x * area["width"], area["y"] + y * area["height"])


def test_pointing_at_a_cell_says_its_numbers_and_marks_it(page: Page, dashboard_url: str) -> None:
    watch(page, dashboard_url, f"{SMALL}&step=tree")
    simulation = run()
    hover(page, "map", 0.3, 0.3)
    leaf = simulation.tree.leaf_of(np.array([[0.3, 0.7]]))[0]
    node = simulation.tree.leaves[leaf]
    said = tip(page, "map")
    expect(said).to_contain_text("NOT PRIVATE: shows the data")
    expect(said).to_contain_text(f"depth {simulation.tree.depth[node]}: leaf")
    expect(said).to_contain_text(f"True count {simulation.visits.count[node]},")
    noisy = f"{abs(simulation.noisy_counts[leaf]):,.4g}"
    expect(said).to_contain_text(re.compile(f"The release knows: a leaf at depth .* noisy count \u2212?{noisy}"))
    marked = page.locator(".pc-picture-map > .pc-outline").bounding_box()
    area = page.locator(".pc-picture-map .nsewdrag").first.bounding_box()
    assert marked
    assert area
    side = (simulation.tree.upper - simulation.tree.lower)[node]
    assert marked["width"] == pytest.approx(side[0] * area["width"], abs=2)
    assert marked["height"] == pytest.approx(side[1] * area["height"], abs=2)
    page.mouse.move(5, 5)
    expect(said).to_be_hidden()


def test_from_the_negatives_on_a_cell_says_only_what_the_release_knows(page: Page, dashboard_url: str) -> None:
    watch(page, dashboard_url, f"{SMALL}&step=noise")
    hover(page, "tree", 0.5, 0.02)
    expect(tip(page, "tree")).to_contain_text("True count 200,")
    page.keyboard.press("ArrowRight")
    expect(tip(page, "tree")).to_contain_text("epsilon-DP")
    expect(tip(page, "tree")).to_contain_text("The release knows: a cell at depth 0 that was split")
    expect(tip(page, "tree")).not_to_contain_text("ount 200")
    assert "rue count" not in "".join(page.locator(".pc-tip").all_text_contents())
    hover(page, "map", 0.3, 0.3)  # its own figures say it now
    expect(tip(page, "map")).to_be_hidden()


def test_cells_can_be_gone_through_by_keyboard(page: Page, dashboard_url: str) -> None:
    watch(page, dashboard_url, f"{SMALL}&step=tree")
    for picture in ("tree", "map"):
        page.locator(f".pc-picture-{picture}").focus()
        seen = []
        for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp"):
            page.keyboard.press(key)
            seen.append(tip(page, picture).inner_text())
            assert "rue count" in seen[-1]
        assert len(set(seen)) == 3
        assert seen[3] == seen[1]
    page.keyboard.press("Escape")
    expect(tip(page, "map")).to_be_hidden()
    page.keyboard.press("ArrowDown")
    number = re.search(r"Step (\d+)", tip(page, "map").inner_text())
    assert number
    page.keyboard.press("Enter")
    assert step(page) == int(number[1])


def link(page: Page, query: str) -> None:
    """Wait until the address holds this query."""
    page.wait_for_function("query => location.search === query", arg=query)


def test_the_step_is_in_the_link_and_a_reload_opens_it_without_the_server(
    page: Page, dashboard_url: str, frames: Frames
) -> None:
    watch(page, dashboard_url)
    page.wait_for_timeout(500)
    before = frames.count
    for _ in range(3):
        button(page, "Step").click()
    link(page, f"{SMALL}&step=3")
    said = sentence(page).inner_text()
    button(page, "Leaf noise").click()
    link(page, f"{SMALL}&step=noise")
    button(page, "Start").click()
    link(page, SMALL)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    link(page, f"{SMALL}&step=3")
    assert frames.count == before
    page.reload()
    settle(page, figures=3)
    assert step(page) == 3
    expect(sentence(page)).to_have_text(said)
    link(page, f"{SMALL}&step=3")


def test_a_step_in_an_otherwise_empty_link_brings_its_version(page: Page, dashboard_url: str) -> None:
    watch(page, dashboard_url, "")
    button(page, "Step").click()
    link(page, "?v=1&step=1")
    page.keyboard.press("n")  # any rerun: the server takes no notice of what is not its own
    link(page, "?v=1&seed=1")


@pytest.mark.parametrize(
    ("asked", "used", "says"),
    [
        ("99999", "sample", "this run has steps 0 to"),
        ("-4", None, "this run has steps 0 to"),
        ("7.4", "7", "step 7 is shown"),
        ("banana", None, "neither a number nor a stage"),
        ("%3Cb%3E", None, "neither a number nor a stage"),
        ("7", "7", None),
        ("projection", "projection", None),
    ],
)
def test_a_step_that_is_none_is_answered_with_the_nearest(
    page: Page, dashboard_url: str, asked: str, used: str | None, says: str | None
) -> None:
    watch(page, dashboard_url, f"{SMALL}&step={asked}")
    problem = page.locator(".pc-problem")
    if says:
        expect(problem).to_contain_text(says)
    link(page, SMALL if used is None else f"{SMALL}&step={used}")
    page.keyboard.press("ArrowLeft")
    expect(problem).to_be_hidden()


def test_a_turned_dial_starts_the_step_anew_and_going_back_brings_it_again(page: Page, dashboard_url: str) -> None:
    watch(page, dashboard_url, "?n=200&step=9")  # the server adds the version
    page.locator(".st-key-roll button").click()
    link(page, f"{SMALL}&seed=1")
    settle(page, figures=3)
    assert step(page) == 0
    page.wait_for_timeout(600)
    link(page, f"{SMALL}&seed=1")
    page.go_back()
    page.wait_for_function("() => Number(document.querySelector('.pc-player > input').value) === 9")
    link(page, f"{SMALL}&step=9")


def test_the_projector_keeps_the_step(page: Page, dashboard_url: str) -> None:
    watch(page, dashboard_url, f"{SMALL}&step=9")
    page.locator(".st-key-projector button").first.click()
    link(page, f"{SMALL}&present=1&step=9")
    settle(page, figures=3)
    assert step(page) == 9


def test_new_noise_keeps_the_stage_that_is_looked_at(page: Page, dashboard_url: str) -> None:
    watch(page, dashboard_url)
    button(page, "Leaf noise").click()
    said = sentence(page).inner_text()
    page.locator(".st-key-roll button").click()
    page.wait_for_function("said => document.querySelector('.pc-sentence').textContent !== said", arg=said)
    expect(button(page, "Leaf noise")).to_have_attribute("aria-current", "step")
    expect(sentence(page)).to_contain_text("Every leaf count gets noise")


def test_less_motion_offers_no_fast_speed(browser: Browser, page: Page, dashboard_url: str) -> None:
    speeds = "() => [...document.querySelectorAll('.pc-player select option')].map(option => Number(option.value))"
    watch(page, dashboard_url)
    assert max(page.evaluate(speeds)) <= 2
    moving = browser.new_page(reduced_motion="no-preference")
    moving.set_default_timeout(60_000)
    watch(moving, dashboard_url)
    assert max(moving.evaluate(speeds)) >= 30
    moving.close()


def test_the_sentence_is_read_out_while_stepping_and_not_while_playing(page: Page, dashboard_url: str) -> None:
    watch(page, dashboard_url)
    told = page.locator(".pc-told")
    expect(told).to_have_attribute("aria-live", "polite")
    button(page, "Play").click()
    expect(told).to_have_attribute("aria-live", "off")
    button(page, "Pause").click()
    expect(told).to_have_attribute("aria-live", "polite")


def test_coming_from_explore_and_going_back_complains_of_nothing(
    page: Page, dashboard_url: str, watched: Watched
) -> None:
    page.goto(dashboard_url + SMALL)
    settle(page, figures=2)
    page.get_by_role("link", name="Watch").click()
    expect(sentence(page)).to_contain_text("200 records")
    settle(page, figures=3)
    for stage in ("The tree", "Leaf noise", "Negatives", "Projection", "Release", "Sample"):
        button(page, stage).click()
        settle(page, figures=2)
    page.get_by_role("link", name="Explore").click()
    settle(page, figures=2)
    assert watched.errors == []
    assert watched.foreign(dashboard_url) == []


@pytest.mark.parametrize("query", [SMALL, "?v=1&n=200&d=1&cloud=uniform", "?v=1&n=200&d=5&cloud=curve"], ids=str)
def test_a_narrow_page_has_no_sideways_scroll(page: Page, dashboard_url: str, query: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    watch(page, dashboard_url, query)
    for stage in ("Grow the tree", "Leaf noise", "Projection", "Sample"):
        button(page, stage).click()
        settle(page, figures=2)
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("query", ["?v=1&n=1", "?v=1&n=200", "?v=1&n=1&present=1"])
def test_no_mark_of_a_decision_runs_over_the_name_of_a_row(
    page: Page, dashboard_url: str, query: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    watch(page, dashboard_url, query)
    for _ in range(4):
        button(page, "Step").click()
        page.wait_for_timeout(200)
        if not page.locator(".pc-picture-decision").is_visible():
            break
        names = rectangles(page, ".pc-picture-decision .textpoint text")
        marks = rectangles(page, ".pc-picture-decision .shapelayer path")[1:]  # the first is the threshold
        assert len(names) == 3
        assert len(marks) >= 3
        assert not [(a, b) for a in names for b in marks if overlap(a, b)]


@pytest.mark.parametrize("width", [390, 768, 1024, 1440])
def test_the_frame_of_a_verdict_touches_no_name_and_no_number(page: Page, dashboard_url: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    watch(page, dashboard_url)
    button(page, "Step").click()
    for _ in range(2):  # an ordinary verdict, and the widest
        around = rectangles(page, ".pc-numbers dt, .pc-numbers dd > span:not(.pc-verdict)")
        assert len(around) > 6
        assert not [a for a in around for frame in rectangles(page, ".pc-verdict") if overlap(a, frame)]
        button(page, "Next split that only noise made").click()
        expect(page.locator(".pc-verdict")).to_have_class(re.compile("pc-lucky"))


def rectangles(page: Page, selector: str) -> list[list[float]]:
    """Left, top, right and bottom of what a selector finds."""
    found = page.locator(selector).evaluate_all(
        "all => all.map(n => n.getBoundingClientRect()).map(r => [r.left, r.top, r.right, r.bottom])"
    )
    return [[float(end) for end in ends] for ends in found]


def overlap(a: list[float], b: list[float]) -> bool:
    """Whether two rectangles meet; half a pixel is forgiven."""
    return a[0] < b[2] and b[0] < a[2] and a[1] + 0.5 < b[3] and b[1] < a[3] - 0.5


def test_axe_finds_nothing_serious_in_either_theme(page: Page, dashboard_url: str) -> None:
    watch(page, dashboard_url)
    for theme in ("Light", "Dark"):
        choose_theme(page, theme)
        for stage in ("Grow the tree", "Negatives"):
            button(page, stage).click()
            settle(page, figures=2)
            assert serious(page) == []


def serious(page: Page) -> list[tuple[str, str]]:
    """What axe calls serious or critical: the rule and the element."""
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    grave = [violation for violation in found if violation["impact"] in ("serious", "critical")]
    return [(violation["id"], node["html"][:200]) for violation in grave for node in violation["nodes"]]


def test_every_figure_has_a_text_with_the_numbers_of_the_step(page: Page, dashboard_url: str) -> None:
    watch(page, dashboard_url)
    button(page, "Step").click()
    texts = page.locator(".pc-player [role=figure]").evaluate_all("all => all.map(n => n.getAttribute('aria-label'))")
    assert len(texts) == 3
    for text in texts:
        assert text.startswith("Not private.")
        assert re.search(r"Depth 0: a count of 200,", text)
