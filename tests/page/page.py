"""Uses the demonstration reports as a reader would: clicks, drags, hovers, and looks at what happens.

Usage: page.py CHROMIUM FOLDER [PART…], where FOLDER holds demo/, modes/, travel/, empty/, still/, shapes/, large/ and far/, each with a report.html.
Every check either passes or stops the run with a sentence; screenshots are left in FOLDER.
"""

import os
import pathlib
import sys
import zipfile

from playwright.sync_api import sync_playwright

SOFTWARE_3D = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
NO_3D = ["--disable-gpu", "--disable-3d-apis"]
SANDBOX = ["--no-sandbox"] if os.geteuid() == 0 else []

# Notes words on canvases with the sizes of their letters and how far they reach beyond the right end, and how many corners of
# curves lie between pixels.
NOTE_DRAWING = """
window.drawn = { letters: new Set(), words: new Set(), beyond: [], corners: 0, between: 0 };
const { fillText } = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.fillText = function (...rest) {
  drawn.letters.add(parseFloat(this.font.match(/([\\d.]+)px/)[1]));
  drawn.words.add(rest[0]);
  if (this.textAlign === "center") {
    drawn.beyond.push(this.getTransform().e + rest[1] + this.measureText(rest[0]).width / 2 - this.canvas.width);
  }
  return fillText.apply(this, rest);
};
const { lineTo } = Path2D.prototype;
Path2D.prototype.lineTo = function (x, y) {
  drawn.corners += 1;
  drawn.between += Number.isInteger(y) ? 0 : 1;
  return lineTo.call(this, x, y);
};
"""


def check(truth, sentence):
    if not truth:
        sys.exit(f"FAILED: {sentence}")
    print(f"  ok: {sentence}")


class Reader:
    """A page with its reader: collects complaints and requests while it is used."""

    def __init__(self, browser, file, size=(1400, 900), scheme="light", scale=1, still=True):
        motion = "reduce" if still else "no-preference"
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, device_scale_factor=scale, reduced_motion=motion
        )
        self.page = context.new_page()
        self.page.add_init_script(NOTE_DRAWING)
        self.complaints, self.requests = [], []
        self.page.on("console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda e: self.complaints.append(str(e)))
        self.page.on("request", lambda r: None if r.url.startswith("blob:") else self.requests.append(r.url))
        self.page.goto(file.resolve().as_uri())
        self.wait(600)

    def wait(self, milliseconds):
        self.page.wait_for_timeout(milliseconds)

    def clock(self):
        return float(self.page.inner_text("#clock b").replace("−", "-"))

    def picture(self, selector="#stage"):
        return self.page.locator(selector).first.screenshot()

    def tab(self, name):
        self.page.click(f"[data-tab={name}]")
        self.wait(350)

    def until(self, condition, sentence, seconds=15):
        for _ in range(int(seconds * 10)):
            if condition():
                break
            self.wait(100)
        check(condition(), sentence)

    def close(self, name):
        check(not self.complaints, f"{name}: the console is silent {self.complaints}")
        check(len(self.requests) == 1, f"{name}: nothing is loaded but the page itself {self.requests[1:]}")
        self.page.context.close()


def playback(reader):
    page = reader.page
    before = reader.picture()
    page.click("#play")
    reader.until(lambda: reader.clock() > 0.3, "play lets time pass")
    check(reader.picture() != before, "the bodies move")
    page.click("#play")
    reader.wait(200)
    stopped = reader.clock()
    reader.wait(400)
    check(reader.clock() == stopped, "pause stops time")

    box = page.locator("#scrub").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    check(abs(reader.clock() - 5) < 0.3, "the slider's middle is half time")
    page.select_option("#speed", "10")
    page.click("#play")
    start = reader.clock()
    reader.until(lambda: reader.clock() > start + 2 or reader.clock() < start, "ten times the speed is fast", 3)
    page.click("#loop")
    reader.until(lambda: page.get_attribute("#play", "aria-label") == "Play", "without the loop it stops at the end")
    check(reader.clock() == 10, "the end is at 10 s")
    page.click("#loop")
    page.select_option("#speed", "1")
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Home")
    check(reader.clock() == 0, "Home goes to the start")


def view(reader):
    page = reader.page
    reader.wait(500)
    check(reader.picture() == reader.picture(), "the view rests while nothing happens")
    for name in ["front", "side", "top", "space"]:
        before = reader.picture()
        page.click(f"[data-view={name}]")
        page.mouse.move(5, 5)
        reader.wait(250)
        check(reader.picture() != before, f"the {name} view turns the camera")
    for name in ["traces", "links", "frames", "ground", "labels"]:
        before = reader.picture()
        page.click(f"[data-show={name}]")
        reader.wait(250)
        check(reader.picture() != before, f"{name} can be switched")
        if name in ("traces", "links", "ground"):
            page.click(f"[data-show={name}]")
    check(page.locator("#labels span:visible", has_text="lower").count() == 1, "a body carries its name")
    page.click("[data-show=frames]")
    page.click("[data-show=labels]")

    stage = page.locator("#stage").bounding_box()
    middle = (stage["x"] + stage["width"] / 2, stage["y"] + stage["height"] / 2)
    before = reader.picture()
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 120, middle[1] + 30, steps=4)
    page.mouse.up()
    reader.wait(500)
    check(reader.picture() != before, "dragging turns the view")
    before = reader.picture()
    page.mouse.wheel(0, -300)
    reader.wait(500)
    check(reader.picture() != before, "the wheel zooms")
    before = reader.picture()
    page.click("[data-view=fit]")
    reader.wait(500)
    check(reader.picture() != before, "Fit frames the motion again")
    page.click("[data-view=space]")
    page.select_option("#follow", "2")
    page.mouse.move(5, 5)
    reader.wait(500)
    before = reader.picture()
    page.click("[data-view=fit]")
    page.select_option("#follow", "")
    page.click("[data-view=space]")
    reader.wait(500)
    check(reader.picture() != before, "the camera can follow a body and return")

    found = set()
    for i in range(8, 34):
        for j in range(6, 30):
            page.mouse.move(stage["x"] + stage["width"] * i / 40, stage["y"] + stage["height"] * j / 32)
            if page.locator("#tip").is_visible():
                found.add(page.inner_text("#tip"))
    check(any(t.startswith("upper") and "Upper rod" in t for t in found), f"hovering shows name and description {found}")
    check(any("bob <b>" in t for t in found), "markup in a description is shown as text")
    page.mouse.move(5, 5)


def plots(reader):
    page = reader.page
    reader.tab("plots")
    cards = page.locator(".plot:visible")
    check(cards.count() == 4, "there is a plot per group and unit")
    over = cards.nth(0).locator(".u-over")
    box = over.bounding_box()

    def window(k):
        card = cards.nth(k)
        return float(card.get_attribute("data-from")), float(card.get_attribute("data-to"))

    check(window(0) == (0, 10), "a plot shows the whole time")
    page.mouse.click(box["x"] + box["width"] * 0.3, box["y"] + 60)
    check(abs(reader.clock() - 3) < 0.1, "a click moves the animation")
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 60)
    reader.wait(100)
    hovered = [text.split() for text in cards.nth(0).locator(".u-value").all_inner_texts()]
    check(abs(float(hovered[0][0]) - 5) < 0.05, f"hovering shows the time there: {hovered[0]}")
    check([unit for _, unit in hovered] == ["s", "rad", "rad"], f"and values with units: {hovered[1:]}")

    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + 90, steps=5)
    page.mouse.up()
    reader.wait(250)
    low, high = window(0)
    check(abs(low - 5) < 0.1 and abs(high - 7) < 0.1, f"dragging zooms to {low:.2f} … {high:.2f} s")
    check(window(3) == window(0), "all plots share the time window")
    page.mouse.dblclick(box["x"] + box["width"] * 0.5, box["y"] + 60)
    reader.wait(250)
    check(window(0) == (0, 10) and window(1) == (0, 10), "a double click shows the whole time again")

    before = reader.picture(".plot canvas")
    entry = cards.nth(0).locator(".u-series", has_text="q1")
    entry.locator("th").click()
    reader.wait(200)
    check("u-off" in entry.get_attribute("class"), "a click on a name switches its curve off")
    check(reader.picture(".plot canvas") != before, "the curve is gone")
    entry.locator("th").click()

    page.fill("#filter", "spring N")
    reader.wait(150)
    check(page.locator(".plot:visible").count() == 1, "the filter finds the spring's force")
    page.fill("#filter", "")


def sections(reader):
    page = reader.page
    for name in ["motion", "plots", "energy", "equations", "tables", "model", "warnings"]:
        reader.tab(name)
        shown = page.eval_on_selector_all("[data-section]", "all => all.filter(s => !s.hidden).map(s => s.dataset.section)")
        check(shown == [name], f"the tab {name} shows its section alone")
    reader.tab("energy")
    check(page.locator(".audit strong").inner_text().startswith("3.8 × 10"), "the verdict is one number")
    check(page.locator("#energy-plots .plot").count() == 4, "energy has four plots")
    stack = page.locator("#energy-plots .plot").nth(0)
    before = stack.screenshot()
    stack.locator(".u-series", has_text="gravity").locator("th").click()
    reader.wait(250)
    check(stack.screenshot() != before, "the stack closes over a row that is switched off")
    reader.tab("equations")
    check(page.locator("math").first.bounding_box()["height"] > 30, "the matrix is typeset")
    tall, plain = [page.locator(s).first.bounding_box()["height"] for s in ["mover", "mrow > mi:last-child"]]
    check(tall > plain + 3, f"the dot of a rate stands clear of tall letters: {tall} above {plain}")
    reader.tab("model")
    check(page.locator(".code li").count() == 17, "every line of the model is there")
    check("</script> is only text" in page.locator("#L12").inner_text(), "an end tag in the model is text")
    reader.tab("warnings")
    page.click("text=line 11")
    reader.wait(250)
    check(page.locator("#L11").is_visible(), "a warning leads to its line")
    page.click("a.badge.good")
    reader.wait(250)
    check(page.locator(".audit").is_visible(), "the badge leads to the energy section")


def part(reader):
    """A click on a body shows its data; a drag does not."""
    page = reader.page
    reader.tab("motion")
    page.click("[data-view=front]")
    reader.wait(300)
    stage = page.locator("#stage").bounding_box()
    for i in range(8, 34):
        for j in range(6, 30):
            page.mouse.move(stage["x"] + stage["width"] * i / 40, stage["y"] + stage["height"] * j / 32)
            if page.locator("#tip").is_visible() and page.inner_text("#tip").startswith("lower"):
                break
        else:
            continue
        break
    page.mouse.down()
    page.mouse.up()
    reader.wait(150)
    said = page.inner_text("#part")
    check("0.8 kg" in said and "revolute on upper <i>" in said, f"a click on a body shows its data: {said!r}")
    before = said
    page.evaluate("document.querySelector('#scrub').value = 3.3")
    page.dispatch_event("#scrub", "input")
    reader.wait(150)
    check(page.inner_text("#part") != before, "its place and speed change with the time")
    page.click("#part .close")
    check(not page.locator("#part").is_visible(), "the card can be closed")


def pairs(reader):
    """Two clicks on curves make a plot of one over the other."""
    page = reader.page
    reader.tab("plots")
    count = page.locator(".plot:visible").count()
    page.click("[data-section=plots] [data-pair]")
    check("to the right" in page.inner_text("[data-section=plots] .pick"), "the page says what to click")
    page.locator(".plot", has_text="Angles").locator(".u-series", has_text="q1").locator("th").click()
    over = page.locator(".plot", has_text="Angular speeds").locator(".u-over")
    box = over.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.5)
    reader.wait(300)
    card = page.locator(".plot.pair")
    check(card.count() == 1 and page.locator(".plot:visible").count() == count + 1, "a curve over another has a plot of its own")
    heading = card.locator("h3").inner_text()
    check("over q1" in heading and heading[0] == "u", f"it is called by both: {heading!r}")
    dot = lambda: card.locator("circle").get_attribute("cx")
    before = dot()
    page.evaluate("document.querySelector('#scrub').value = 6.1")
    page.dispatch_event("#scrub", "input")
    check(dot() != before, "a dot shows where the motion is")
    check(page.locator(".u-series.u-off").count() == 0, "picking hides no curve")
    page.evaluate("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))")
    card.locator(".close").click()
    check(page.locator(".plot.pair").count() == 0, "it can be removed")


def saving(reader, folder):
    """Downloads are what they claim to be."""
    page = reader.page

    def download(click):
        # The archive of frames takes as long as its pictures do to draw.
        with page.expect_download(timeout=180_000) as waiting:
            click()
        file = folder / waiting.value.suggested_filename
        waiting.value.save_as(file)
        return file

    reader.tab("plots")
    card = page.locator(".plot", has_text="Angles").first
    card.hover()
    svg = download(card.locator("[data-save=svg]").click).read_text()
    check(svg.startswith("<svg") and "q2" in svg and "var(" not in svg, "a plot can be saved as SVG, with colours of its own")
    png = download(card.locator("[data-save=png]").click).read_bytes()
    check(png[:8] == b"\x89PNG\r\n\x1a\n" and len(png) > 5000, f"and as PNG of {len(png)} bytes")
    rows = download(card.locator("[data-save=csv]").click).read_text().splitlines()
    check(rows[0] == "t [s],q1 [rad],q2 [rad]" and len(rows) == 1002, f"and as a table: {rows[0]}")
    reader.tab("motion")

    def menu(entry):
        page.click("#save summary")
        page.click(entry)

    png = download(lambda: menu("#save-picture"))
    check(png.stat().st_size > 20000, f"the view can be saved: {png.stat().st_size} bytes")
    rows = download(lambda: menu("#save-curves")).read_text().splitlines()
    check(rows[0].startswith("t [s],q1 [rad],") and len(rows) == 1002, "all curves can be saved as one table")
    page.select_option("#speed", "5")
    archive = zipfile.ZipFile(download(lambda: menu("#save-frames")))
    names = archive.namelist()
    check(archive.testzip() is None and len(names) == 60 and names[0] == "frame-00001.png", f"frames of a film: {len(names)} pictures")
    check(archive.read(names[0]) != archive.read(names[-1]), "which differ")
    page.select_option("#speed", "1")


def comparing(reader, folder):
    """Another run, as a page or as a table, lies over this one."""
    page = reader.page
    reader.tab("plots")
    page.set_input_files("#compare", folder / "demo/report.html")
    reader.wait(500)
    series = page.locator(".plot", has_text="Angles").first.locator(".u-series")
    check(series.count() == 5, "curves of a page lie beside those of this one")
    page.click("#compare-clear")
    reader.wait(300)
    check(series.count() == 3, "and can be removed")
    table = folder / "other.csv"
    table.write_text("t [s],q1 [rad],nothing [m]\n0,0.5,1\n10,-0.5,2\n")
    page.set_input_files("#compare", table)
    reader.wait(500)
    check(series.count() == 4 and "q1 (other.csv)" in page.locator(".plot", has_text="Angles").first.inner_text(), "a table does it as well")
    page.click("#compare-clear")
    table.write_text("no table\n")
    page.set_input_files("#compare", table)
    reader.wait(300)
    check("neither" in page.inner_text("#compared"), "another file is refused in words")
    reader.tab("motion")


def keeping(reader):
    """A reload finds the view again."""
    page = reader.page
    page.select_option("#speed", "2")
    reader.tab("plots")
    page.evaluate("document.querySelector('#scrub').value = 4.2")
    page.dispatch_event("#scrub", "input")
    page.click("[data-section=plots] [data-pair]")
    for name in ["q1", "q2"]:
        page.locator(".plot", has_text="Angles").last.locator(".u-series", has_text=name).locator("th").click()
    page.reload()
    reader.requests.pop()
    reader.wait(800)
    check(abs(reader.clock() - 4.2) < 0.02, "the time is kept")
    check(page.input_value("#speed") == "2" and page.locator(".plot.pair").count() == 1, "so are speed and plots")
    check(page.locator("[data-section=plots]").is_visible(), "so is the section")
    page.locator(".plot.pair .close").click()
    reader.tab("motion")
    page.select_option("#speed", "1")


def theme(reader):
    page = reader.page
    reader.tab("motion")
    ground = lambda: page.evaluate("getComputedStyle(document.body).backgroundColor")
    light = ground()
    page.click("#theme")
    reader.wait(300)
    check(ground() != light, "the theme can be switched")
    page.click("#theme")
    reader.wait(300)
    check(ground() == light, "and back")


def facts(browser, file):
    reader = Reader(browser, file, size=(1400, 1400))
    page = reader.page
    check(page.locator("#results dt").first.is_visible(), "results stand below the title")
    check(not page.locator("#summary").is_visible(), "facts are folded: results and motion are seen first")
    page.click("#facts")
    check(page.locator("#summary dt").first.is_visible() and page.get_attribute("#facts", "aria-expanded") == "true", "they can be shown")
    page.click("#facts")
    check(not page.locator("#summary").is_visible(), "and folded again")
    page.click("#facts")
    lone = page.eval_on_selector_all("#summary > div", "all => all.filter(d => !d.querySelector('dt').textContent).length")
    check(lone == 0, "every fact stands under a label")
    reader.close("facts")


def demo(browser, folder):
    print("demo")
    reader = Reader(browser, folder / "demo/report.html")
    for look in [playback, view, part, plots, pairs, sections, theme]:
        look(reader)
    saving(reader, folder)
    comparing(reader, folder)
    keeping(reader)
    reader.close("demo")
    reader = Reader(browser, folder / "demo/report.html", still=False)
    reader.until(lambda: reader.clock() > 0.5, "the motion plays by itself")
    reader.close("by itself")
    facts(browser, folder / "demo/report.html")


def extremes(browser, folder):
    print("empty, still, shapes, large")
    reader = Reader(browser, folder / "empty/report.html")
    check(reader.page.locator("#stage-note").is_visible(), "an empty report says so")
    for name in ["plots", "model", "warnings"]:
        reader.tab(name)
        check(reader.page.locator(".empty:visible").count() == 1, f"{name}: nothing, said in words")
    for name in ["energy", "equations", "tables"]:
        check(not reader.page.locator(f"[data-tab={name}]").is_visible(), f"no tab leads to {name} that are not there")
    reader.close("empty")

    reader = Reader(browser, folder / "still/report.html")
    check(reader.page.is_disabled("#play"), "one frame cannot be played")
    reader.page.wait_for_selector(".u-legend")
    check(reader.page.locator("img").count() == 0, "names that look like markup stay names")
    check("<img src=x" in reader.page.inner_text(".u-legend"), "and are shown as they are")
    reader.page.screenshot(path=folder / "still.png")
    reader.close("still")

    reader = Reader(browser, folder / "shapes/report.html")
    reader.page.click("[data-show=labels]")
    reader.wait(300)
    check(reader.page.locator("#labels span:visible").count() == 13 + 3, "every shape is there and carries its name")
    reader.page.screenshot(path=folder / "shapes.png")
    reader.close("shapes")

    reader = Reader(browser, folder / "large/report.html")
    reader.page.wait_for_selector(".plot canvas")
    before = reader.clock()
    reader.page.click("#play")
    reader.until(lambda: reader.clock() > before + 0.5, "two hundred bodies move")
    reader.page.click("#play")
    reader.page.screenshot(path=folder / "large.png")
    size = (folder / "large/report.html").stat().st_size / 1e6
    check(size < 20, f"a hundred thousand samples make {size:.1f} MB")
    reader.close("large")


def far_away(browser, folder):
    """A motion that ran away: lengths whose squares are no numbers in single precision."""
    print("far")
    reader = Reader(browser, folder / "far/report.html")
    reader.page.wait_for_selector(".plot canvas")
    reader.until(lambda: reader.page.get_attribute("#stage", "data-dots") == "1", "a body that is too small to be seen is drawn as a dot")
    check(reader.page.get_attribute("#stage", "data-arrows") == "1", "an arrow that is too short to be seen keeps a size on the screen")
    page_scrolls = reader.page.evaluate("document.documentElement.scrollHeight > innerHeight")
    check(not page_scrolls, "the plots scroll, the page does not")
    before = reader.picture()
    reader.page.click("#play")
    reader.until(lambda: reader.clock() > 2.5, "time passes")
    reader.page.click("#play")
    reader.page.evaluate("document.activeElement.blur()")
    reader.page.keyboard.press("End")
    reader.wait(400)
    check(reader.picture() != before, "the dot moves")
    check(reader.page.locator(".badge.good").count() == 0, "nothing is called good beside an error")
    reader.page.screenshot(path=folder / "far.png")
    reader.tab("plots")
    headings = reader.page.locator(".plot:visible h3").all_inner_texts()
    check([h.split()[0] for h in headings] == ["Outputs", "press", "Coordinates", "Speeds"], f"a large curve stands alone {headings}")
    reader.wait(300)
    labels = reader.page.evaluate("[...drawn.words]")
    check("5e26" in labels and "2e40" in labels, "axes of any length have labels")
    check(max(reader.page.evaluate("drawn.beyond")) <= 0, "no label is cut off at the right")
    reader.page.screenshot(path=folder / "far-plots.png")
    reader.close("far")


def modes(browser, folder):
    """Parts of the time are chosen from a list."""
    print("modes")
    reader = Reader(browser, folder / "modes/report.html", still=False)
    page = reader.page
    rows = page.locator("#chapters tbody tr")
    check(rows.count() == 2 and rows.nth(0).get_attribute("aria-selected") == "true", "the first mode is chosen")
    rows.nth(1).click()
    reader.wait(600)
    check("Mode 2: rods swing against one another" in page.inner_text("#chapter"), "the view says which mode is shown")
    card = page.locator(".plot:visible").first
    check((float(card.get_attribute("data-from")), float(card.get_attribute("data-to"))) == (5, 10), "plots show its time alone")
    reader.until(lambda: 0 < reader.clock() < 5, "its time counts from zero")
    page.screenshot(path=folder / "modes.png")
    reader.close("modes")


def travel(browser, folder):
    """What goes far is followed."""
    print("travel")
    reader = Reader(browser, folder / "travel/report.html")
    page = reader.page
    check(page.input_value("#follow") == "all", "a mechanism that travels is followed")
    reader.until(lambda: page.get_attribute("#stage", "data-dots") == "0", "so that it is seen in its size")
    page.screenshot(path=folder / "travel.png")
    page.select_option("#follow", "")
    reader.until(lambda: page.get_attribute("#stage", "data-dots") == "3", "the whole way can be framed as well")
    reader.close("travel")
    reader = Reader(browser, folder / "demo/report.html")
    check(reader.page.input_value("#follow") == "", "what stays in place is not followed")
    reader.close("in place")


def sweeps(browser, folder):
    """Results against what varied: lines, heat map, points and parallel axes."""
    print("sweeps")
    for n, headings in [(1, ["tip.x against L"]), (2, ["tip.x over L and q", "tip.x against L", "tip.x against q"])]:
        reader = Reader(browser, folder / f"demo/sweep-{n}.html", scheme="dark" if n == 2 else "light")
        page = reader.page
        found = page.locator("#against h3").evaluate_all("all => all.map((h) => h.firstChild.textContent)")
        check(found == headings, f"{n} varied: {found}")
        if n == 2:
            check(page.locator("#against .plot").first.locator("rect:not([width='12'])").count() >= 96, "a cell per motion")
            page.locator("#against .plot").first.locator("g rect").nth(20).hover()
            check("motion 21" in page.inner_text("#tip"), "hovering tells the motion")
        page.screenshot(path=folder / f"sweep-{n}.png", full_page=True)
        reader.close(f"sweep of {n}")
    reader = Reader(browser, folder / "demo/sweep-3.html")
    page = reader.page
    check(page.locator("#against .plot").count() == 4, "points per varied value, and parallel axes")
    check(page.locator("b").count() == 0, "names that look like markup stay names")
    page.click("[data-part=greatest]")
    check("greatest" in page.inner_text("#spread h3 >> nth=0"), "another value of the motions can be chosen")
    page.click("[data-part=end]")
    handle = page.locator(".axis-handle").first
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    faint = lambda: page.locator("#against circle[opacity='0.06']").count()
    check(faint() == 0, "all motions are drawn")
    page.mouse.move(box["x"] + 14, box["y"] + 0.2 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 14, box["y"] + 0.6 * box["height"], steps=4)
    page.mouse.up()
    reader.wait(200)
    check(0 < faint() < 288, "a range of an axis keeps some of them")
    page.screenshot(path=folder / "sweep-3.png", full_page=True)
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    check(page.evaluate("getComputedStyle(document.body).backgroundColor") != light, "the theme can be switched")
    reader.close("sweep of 3")


def looks(browser, folder):
    print("screenshots")
    for scheme in ["light", "dark"]:
        for size in [(1400, 900), (900, 1200), (390, 800)]:
            reader = Reader(browser, folder / "demo/report.html", size, scheme)
            reader.page.evaluate("document.querySelector('#scrub').value = 3.3")
            reader.page.dispatch_event("#scrub", "input")
            for name in ["motion", "plots", "energy", "equations", "tables", "model", "warnings"]:
                reader.tab(name)
                wide = reader.page.evaluate("document.documentElement.scrollWidth")
                check(wide <= size[0], f"{scheme} {size[0]}x{size[1]} {name}: fits the width")
                reader.page.screenshot(path=folder / f"{scheme}-{size[0]}x{size[1]}-{name}.png")
            reader.close(f"{scheme} {size[0]}x{size[1]}")


def dense(browser, folder):
    """Screens with more than one pixel per unit of length: letters grow with the density, curves are not rounded to pixels."""
    print("dense screens")
    for scale in [1, 1.5, 2, 3]:
        reader = Reader(browser, folder / "demo/report.html", scale=scale)
        reader.tab("plots")
        reader.page.wait_for_selector(".plot canvas")
        reader.wait(300)
        letters = reader.page.evaluate("[...drawn.letters]")
        check(letters and all(11 <= size / scale <= 14 for size in letters), f"density {scale}: letters of plots are {letters} pixels high")
        corners, between = reader.page.evaluate("[drawn.corners, drawn.between]")
        check(between > 0.8 * corners > 0, f"density {scale}: {between} of {corners} corners of curves lie between pixels")
        reader.page.screenshot(path=folder / f"dense-{scale}.png")
        reader.close(f"density {scale}")


def without_3d(browser, folder):
    print("without 3D")
    reader = Reader(browser, folder / "demo/report.html")
    check("WebGL" in reader.page.inner_text("#stage-note"), "a note explains the missing view")
    reader.page.click("#play")
    reader.until(lambda: reader.clock() > 0.3, "time passes all the same")
    check(reader.page.locator(".plot canvas").count() >= 2, "plots are drawn")
    reader.page.screenshot(path=folder / "without-3d.png")
    reader.close("without 3D")


def main():
    chromium, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    with sync_playwright() as p:
        launch = lambda arguments: p.chromium.launch(executable_path=chromium, args=SANDBOX + arguments)
        browser = launch(SOFTWARE_3D)
        for look in [demo, modes, travel, sweeps, extremes, far_away, looks, dense]:
            if not sys.argv[3:] or look.__name__ in sys.argv[3:]:
                look(browser, folder)
        browser.close()
        browser = launch(NO_3D)
        without_3d(browser, folder)
        browser.close()
    print(f"all well; screenshots in {folder}")


if __name__ == "__main__":
    main()
