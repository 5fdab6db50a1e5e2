"""Photographs the motions of the models for the book.

Usage: pictures.py CARDAN CHROMIUM WORK OUT [MODEL...]
One line per picture in SHOTS; a picture is at most LIMIT bytes.
"""

import io
import os
import pathlib
import subprocess
import sys
from dataclasses import dataclass

from PIL import Image
from playwright.sync_api import sync_playwright

WIDE, PAGE_WIDE, LIMIT = 900, 1280, 120_000
SOFTWARE_3D = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
SANDBOX = ["--no-sandbox"] if os.geteuid() == 0 else []
ALONE = """
*:not(#stage, #stage *) { position: static !important; overflow: visible !important }
#stage { position: absolute !important; inset: 0; width: 100vw !important; height: 100vh !important; z-index: 99 }
.tools { display: none !important }
"""


@dataclass
class Shot:
    """When and from where a model is photographed."""

    model: str
    time: float
    view: str = "space"
    turn: tuple = (0, 0)  # pixels that the pointer drags the view
    zoom: float = 0  # pixels that the wheel turns; up is nearer
    shift: tuple = (0, 0)  # pixels that the view is moved aside
    tall: int = 560
    options: tuple = ()  # of the run
    hide: tuple = ()
    follow: str = ""
    page: str = ""  # the whole page with its plots instead of the view alone, in this file


SHOTS = [
    Shot("pendulum", 0.62, "front", options=("--every", "0.01"), tall=480),
    Shot("double-pendulum", 0.45, "front", options=("--every", "0.005")),
    Shot("heavy-top", 1.1, options=("--every", "0.002")),
    Shot("light-cart-pole", 0.35, options=("--every", "0.002", "--to", "2")),
    Shot("n-pendulum", 0.62, "front", options=("--every", "0.005", "--to", "0.8", "--set", "q[1]=120[deg]")),
    Shot("handbook-robot", 1.2, turn=(-120, 20), zoom=300, options=("--every", "0.01"), hide=("links",)),
    Shot("door", 1.0, turn=(-150, 30), hide=("links",)),
    Shot("four-bar", 0.1, "front", options=("--every", "0.005"), tall=480),
    Shot("four-bar-chain", 0.5, "front", tall=480),
    Shot("squeezer", 0.006, "top", hide=("ground",)),
    Shot("slider-crank", 0.012, "top", hide=("ground", "links")),
    Shot("spatial-slider-crank", 0.35, hide=("links",)),
    Shot("stewart-platform", 0.6, hide=("links",)),
    Shot("stewart-platform", 0.6, hide=("links",), page="../start/page.png", tall=820),
    Shot("cam-gear", 0.1, "top", hide=("ground", "links")),
    Shot("flat-cam", 0.045, "front", zoom=300, tall=480, hide=("ground", "links")),
    Shot("geneva", 0.07, "top", hide=("ground", "links")),
    Shot("rolling-disc", 0.9, hide=("links",)),
    Shot("wheel-in-bowl", 11.0, turn=(0, 40), shift=(0, 60), hide=("links", "ground")),
    Shot("coaster", 6.9, "front", turn=(40, 12), zoom=200, tall=480, hide=("links",)),
    Shot("hmmwv", 1.6, zoom=300, hide=("links",), follow="chassis"),
    Shot("whipple-bicycle", 0.6, turn=(60, 0), zoom=900, options=("--to", "1.2"), hide=("links",), follow="rear"),
    Shot("six-axis-arm", 0.1, options=("--every", "0.01"), hide=("links",)),
    Shot("humanoid", 0.35, turn=(-60, 40), zoom=500, shift=(0, 60), options=("--every", "0.005"), follow="abdomen"),
    Shot("spacecraft", 12.0, turn=(180, -60), hide=("links", "ground")),
    Shot("spacecraft-small", 12.0, turn=(-60, -110), hide=("links", "ground")),
]


def run(cardan, shot, work):
    folder = work / shot.model
    model = pathlib.Path("models") / f"{shot.model}.mbs"
    subprocess.run([cardan, "run", "--quiet", model, "--out", folder, *shot.options], check=True)
    return folder / "report.html"


def photograph(browser, page_file, shot):
    wide = PAGE_WIDE if shot.page else WIDE
    context = browser.new_context(viewport={"width": wide, "height": shot.tall}, color_scheme="light", bypass_csp=True)
    page = context.new_page()
    page.goto(page_file.resolve().as_uri())
    if not shot.page:
        page.add_style_tag(content=ALONE)
    page.wait_for_timeout(600)
    page.evaluate("t => { const s = document.querySelector('#scrub'); s.value = t; s.dispatchEvent(new Event('input')) }", shot.time)
    for name in shot.hide:
        page.evaluate("n => document.querySelector(`[data-show=${n}]`).click()", name)
    if shot.follow:
        body = page.evaluate("n => [...document.querySelectorAll('#follow option')].find(o => o.text === n).value", shot.follow)
        page.evaluate("v => { const f = document.querySelector('#follow'); f.value = v; f.dispatchEvent(new Event('change')) }", body)
    page.evaluate("v => document.querySelector(`[data-view=${v}]`).click()", shot.view)
    middle = (wide / 2, shot.tall / 2)
    for button, (dx, dy) in [("left", shot.turn), ("right", shot.shift)]:
        if dx or dy:
            page.mouse.move(*middle)
            page.mouse.down(button=button)
            page.mouse.move(middle[0] + dx, middle[1] + dy, steps=8)
            page.mouse.up(button=button)
            page.wait_for_timeout(900)
    page.mouse.move(*middle)
    for _ in range(int(abs(shot.zoom) // 100)):
        page.mouse.wheel(0, -100 if shot.zoom > 0 else 100)
        page.wait_for_timeout(100)
    page.mouse.move(2, 2)
    page.wait_for_timeout(1500)
    picture = page.screenshot() if shot.page else page.locator("#stage").screenshot()
    context.close()
    return Image.open(io.BytesIO(picture)).convert("RGB")


def save(image, path):
    """As few colours as the limit needs, and no fewer."""
    for colors in [256, 192, 128, 96, 64, 48, 32]:
        image.quantize(colors, dither=Image.Dither.NONE).save(path, optimize=True)
        if path.stat().st_size <= LIMIT:
            return
    sys.exit(f"{path} is larger than {LIMIT} bytes")


def main():
    cardan, chromium, work, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
    shots = [s for s in SHOTS if s.model in sys.argv[5:] or not sys.argv[5:]]
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium, args=SANDBOX + SOFTWARE_3D)
        for shot in shots:
            path = out / (shot.page or f"{shot.model}.png")
            save(photograph(browser, run(cardan, shot, work), shot), path)
            print(f"{path} {path.stat().st_size // 1000} kB")
        browser.close()


if __name__ == "__main__":
    main()
