"""dashboard/plot.py in a browser: what survives a rerun, what needs none, and what never leaves the machine."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Watched
from tests.browser.helpers import choose_theme, drag, open_page, settle


@pytest.fixture
def app(page: Page, plot_app_url: str, watched: Watched) -> Page:
    open_page(page, plot_app_url, figures=4)
    return page


def figure(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-{key} .pc-picture")


def runs(page: Page) -> int:
    return int(re.search(r"\d+", page.get_by_text("runs:").inner_text())[0])


def x_range(page: Page, key: str) -> list[float]:
    return figure(page, key).evaluate("gd => [...gd._fullLayout.xaxis.range]")


def turn(page: Page, presses: int = 1) -> None:
    slider = page.get_by_role("slider", name="Amplitude")
    before = runs(page)
    slider.focus()
    for _ in range(presses):
        slider.press("ArrowRight")
    page.wait_for_function("before => Number(document.body.innerText.match(/runs:\\s*(\\d+)/)[1]) > before", arg=before)
    settle(page)


def test_zoom_and_node_survive_a_rerun(app: Page) -> None:
    figure(app, "wave").evaluate("gd => { gd._mine = true }")
    drag(app, figure(app, "wave").locator(".nsewdrag").first, (0.2, 0.5), (0.6, 0.52))
    zoomed = x_range(app, "wave")
    assert zoomed[0] > 0.05
    assert zoomed[1] < 0.9
    turn(app)
    expect(figure(app, "wave")).to_have_attribute("aria-label", re.compile("amplitude 4"))
    assert figure(app, "wave").evaluate("gd => gd._mine === true")
    assert x_range(app, "wave") == zoomed
    assert figure(app, "wave").evaluate("gd => Math.max(...gd._fullData[0].y)") == pytest.approx(4, abs=0.01)


def test_fast_keys_end_in_the_right_picture(app: Page, watched: Watched) -> None:
    turn(app, presses=6)
    app.wait_for_function(
        "() => Math.abs(Math.max(...document.querySelector('.st-key-wave .pc-picture')._fullData[0].y) - 9) < 0.1"
    )
    assert not watched.errors


def test_a_rerun_that_changes_nothing_in_a_figure_draws_nothing(app: Page) -> None:
    app.evaluate(
        """() => { window.draws = {wave: 0, cloud: 0};
           for (const key of ['wave', 'cloud'])
             document.querySelector(`.st-key-${key} .pc-picture`).on('plotly_afterplot', () => window.draws[key]++);
           }"""
    )
    turn(app)
    app.wait_for_function("() => window.draws.wave > 0")
    assert app.evaluate("() => window.draws.cloud") == 0


def test_the_hover_label_survives_a_rerun(app: Page) -> None:
    area = figure(app, "wave").locator(".nsewdrag").first
    slider = app.get_by_role("slider", name="Amplitude")
    slider.focus()
    area.hover(position={"x": 200, "y": 100})
    expect(figure(app, "wave").locator(".hoverlayer .hovertext").first).to_be_visible()
    before = runs(app)
    app.keyboard.press("ArrowRight")
    expect(figure(app, "wave")).to_have_attribute("aria-label", re.compile("amplitude 4"))
    settle(app)
    assert runs(app) > before
    expect(figure(app, "wave").locator(".hoverlayer .hovertext").first).to_be_visible()


def test_a_figure_that_leaves_the_page_is_freed_and_comes_back(app: Page, watched: Watched) -> None:
    node = figure(app, "follow").element_handle()
    toggle = app.get_by_text("Follower")
    toggle.click()
    expect(figure(app, "follow")).to_have_count(0)
    app.wait_for_function("gd => !gd._fullLayout && !gd.querySelector('.main-svg')", arg=node)
    toggle.click()
    expect(figure(app, "follow").locator(".main-svg").first).to_be_visible()
    assert watched.errors == []


def test_a_theme_switch_needs_no_rerun(app: Page) -> None:
    drag(app, figure(app, "wave").locator(".nsewdrag").first, (0.2, 0.5), (0.6, 0.52))
    zoomed, before = x_range(app, "wave"), runs(app)
    colour = "gd => gd._fullData[0].line.color"
    light = figure(app, "wave").evaluate(colour)
    choose_theme(app, "Dark")
    app.wait_for_function(
        "light => document.querySelector('.st-key-wave .pc-picture')._fullData[0].line.color !== light", arg=light
    )
    assert (light, figure(app, "wave").evaluate(colour)) == ("#0072b2", "#56b4e9")
    assert figure(app, "wave").evaluate("gd => gd._fullLayout.font.color") == "#f2f2f2"
    assert x_range(app, "wave") == zoomed
    assert runs(app) == before


def test_the_slider_scrubs_without_reruns_and_commits_once(app: Page) -> None:
    slider = app.get_by_role("slider", name="epsilon")
    before = runs(app)
    app.evaluate(
        """() => { window.seen = new Set();
           for (const key of ['frames', 'follow']) {
             const gd = document.querySelector(`.st-key-${key} .pc-picture`);
             gd.on('plotly_afterplot', () => window.seen.add(key + gd._fullData[0].y[100]));
           } }"""
    )
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    app.mouse.move(box["x"] + 8, middle)
    app.mouse.down()
    for i in range(60):
        app.mouse.move(box["x"] + 8 + (box["width"] - 16) * i / 59, middle)
        app.wait_for_timeout(30)
    seen = app.evaluate("() => [...window.seen]")
    assert runs(app) == before
    assert sum(key.startswith("frames") for key in seen) >= 15
    assert sum(key.startswith("follow") for key in seen) >= 15
    expect(app.locator(".st-key-scrub output")).to_have_text("5.0")
    expect(app.locator(".st-key-scrub dd").first).to_have_text("240")
    app.mouse.up()
    expect(app.get_by_text("frame:")).to_have_text("frame: 24")
    settle(app)
    assert runs(app) == before + 1
    expect(slider).to_have_value("24")
    expect(slider).to_have_attribute("aria-valuetext", "5.0")


def test_the_slider_moves_by_keyboard_and_commits_when_the_keys_rest(app: Page) -> None:
    slider = app.get_by_role("slider", name="epsilon")
    before = runs(app)
    slider.focus()
    for _ in range(4):
        slider.press("ArrowRight")
    expect(app.get_by_text("frame:")).to_have_text("frame: 4")
    settle(app)
    assert runs(app) == before + 1


def test_the_same_frame_is_news_after_the_page_moved_on(app: Page) -> None:
    slider = app.get_by_role("slider", name="epsilon")
    for _ in range(2):
        slider.focus()
        slider.press("End")
        expect(app.get_by_text("frame:")).to_have_text("frame: 24")
        app.get_by_role("button", name="Back to the start").click()
        expect(app.get_by_text("frame:")).to_have_text("frame: 0")
        expect(slider).to_have_value("0")
        top = "gd => Math.max(...gd._fullData[0].y)"
        assert figure(app, "frames").evaluate(top) < figure(app, "follow").evaluate(top)


def test_a_box_is_reported_and_stays(app: Page) -> None:
    drag(app, figure(app, "cloud").locator(".nsewdrag").first, (0.2, 0.2), (0.7, 0.8))
    expect(app.get_by_text("selected:")).to_have_text(re.compile(r"selected: [1-9]\d+"))
    reported = app.get_by_text("selected:").inner_text()
    turn(app)
    assert app.get_by_text("selected:").inner_text() == reported
    held = figure(app, "cloud").evaluate(
        "gd => [gd._fullLayout.selections.length, gd._fullData[0].selectedpoints.length]"
    )
    assert held[0] == 1
    assert held[1] == int(re.findall(r"\d+", reported)[0])
    # a double click takes it back
    figure(app, "cloud").locator(".nsewdrag").first.dblclick(position={"x": 5, "y": 5})
    expect(app.get_by_text("selected:")).to_have_text("selected: none")


def test_nothing_leaves_the_machine(app: Page, plot_app_url: str, watched: Watched) -> None:
    assert watched.foreign(plot_app_url) == []
    assert watched.errors == []
    figure(app, "wave").hover()
    titles = app.locator(".modebar-btn").evaluate_all("all => all.map(b => b.getAttribute('aria-label') ?? '')")
    assert titles
    assert all(titles)
    assert not [title for title in titles if re.search("share|cloud|chart studio|edit", title, re.IGNORECASE)]
    assert app.evaluate("() => document.querySelectorAll('script[src*=plotly]').length") == 1


def test_pictures_can_be_downloaded_as_png_and_svg(app: Page) -> None:
    figure(app, "wave").hover()
    for title, ending in (("Download plot as a PNG", ".png"), ("Download as SVG", ".svg")):
        with app.expect_download() as download:
            app.locator(".st-key-wave").get_by_label(title).press("Enter")
        assert download.value.suggested_filename == f"wave{ending}"


def test_axe_finds_nothing_in_a_figure_of_either_theme(app: Page) -> None:
    expect(app.get_by_role("figure", name="A sine and a cosine of amplitude 3")).to_be_visible()
    for theme in ("Light", "Dark"):
        choose_theme(app, theme)
        found = Axe().run(app, context=".pc-plot", options={"resultTypes": ["violations"]})
        assert found.violations_count == 0, found.generate_report()


def test_a_table_is_sent_only_when_opened(app: Page) -> None:
    assert app.get_by_test_id("stDataFrame").count() == 0
    app.get_by_text("Read as a table").click()
    expect(app.get_by_test_id("stDataFrame")).to_be_visible()
    expect(app.get_by_text("The first 1,000 of 1,500 rows.")).to_be_visible()


def test_the_table_of_a_figure_is_opened_and_closed_by_keyboard_and_no_figure_is_drawn_again(app: Page) -> None:
    app.evaluate(
        """() => { window.draws = 0;
           for (const gd of document.querySelectorAll('.pc-picture')) {
             gd._mine = true;
             gd.on('plotly_afterplot', () => window.draws++);
           } }"""
    )
    button, rows, before = (
        app.get_by_role("button", name="Table: A wave").first,
        app.get_by_test_id("stDataFrame"),
        runs(app),
    )
    expect(button).to_have_attribute("aria-expanded", "false")
    figure(app, "wave").locator(".modebar-btn").last.focus()
    app.keyboard.press("Tab")  # the button follows its picture
    expect(button).to_be_focused()
    app.keyboard.press("Enter")
    expect(rows).to_be_visible()
    expect(button).to_have_attribute("aria-expanded", "true")
    assert rows.bounding_box()["y"] < figure(app, "below").bounding_box()["y"]
    turn(app)  # it stays open, and follows the dial
    expect(rows).to_be_visible()
    app.wait_for_function("() => window.draws > 0")
    app.evaluate("() => { window.draws = 0; }")
    button.press(" ")
    expect(rows).to_have_count(0)
    expect(button).to_have_attribute("aria-expanded", "false")
    settle(app)
    assert runs(app) == before + 3
    assert app.evaluate("() => window.draws") == 0
    assert app.evaluate("() => [...document.querySelectorAll('.pc-picture')].every(gd => gd._mine)")


def test_a_figure_that_comes_back_has_its_table_closed(app: Page) -> None:
    button = app.get_by_role("button", name="Table: A wave that shrinks")
    button.click()
    expect(app.get_by_test_id("stDataFrame")).to_be_visible()
    node, toggle = figure(app, "follow").element_handle(), app.get_by_text("Follower")
    toggle.click()
    app.wait_for_function("gd => !gd._fullLayout", arg=node)
    toggle.click()
    expect(button).to_have_attribute("aria-expanded", "false")
    expect(app.get_by_test_id("stDataFrame")).to_have_count(0)


def test_a_narrow_page_has_no_sideways_scroll(app: Page) -> None:
    app.set_viewport_size({"width": 390, "height": 800})
    app.wait_for_function("() => document.querySelector('.st-key-wave .main-svg').clientWidth < 380")
    assert app.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert app.evaluate("() => document.querySelector('[data-testid=stMain]').scrollWidth <= innerWidth")
