// One quantity over another: the path of a point, or a phase portrait. Two curves are picked by
// clicks on them or on their names.

const pairs = { picking: false, first: null, all: [] };

/** Begins or ends the picking of two curves. */
function setPicking(on) {
  pairs.picking = on;
  pairs.first = null;
  document.body.classList.toggle("picking", on);
  for (const button of document.querySelectorAll("[data-pair]")) button.setAttribute("aria-pressed", on);
  sayPick();
}

function sayPick() {
  const text = pairs.first ? `${pairs.first.name} goes to the right; click the curve that goes up.` : "Click the curve that goes to the right.";
  for (const said of document.querySelectorAll(".pick")) {
    said.hidden = !pairs.picking;
    said.textContent = text;
  }
}

/** Takes a curve; the second makes a plot. */
function pickCurve(plot, curve) {
  const picked = { ...curve, unit: curve.timeAxis ? "s" : plot.unit, time: plot.time };
  if (!pairs.first) {
    pairs.first = picked;
    return sayPick();
  }
  const first = pairs.first;
  setPicking(false);
  addPair(first, picked).scrollIntoView({ block: "nearest" });
}

/** The curve of a plot that passes nearest to a place on it. */
function curveAt(plot, x, y) {
  const at = nearestIndex(plot.time, plot.chart.posToVal(x, "x"));
  const shown = plot.curves.filter((c, k) => plot.chart.series[k + 1].show && Number.isFinite(c.values[at]));
  const gap = (c) => Math.abs(plot.chart.valToPos(c.values[at], "y") - y);
  return shown.reduce((best, c) => (!best || gap(c) < gap(best) ? c : best), null);
}

/** A card that draws one curve over another. */
function addPair(x, y) {
  const pair = { x, y, card: element("div", "card plot pair"), body: element("div", "pair-body") };
  const heading = element("h3", "", `${y.name} over ${x.name}`);
  const close = element("button", "close", "×", { type: "button", title: "Remove this plot", "aria-label": "Remove this plot" });
  close.addEventListener("click", () => {
    pair.card.remove();
    pairs.all = pairs.all.filter((other) => other !== pair);
  });
  const columns = () => [{ name: "t", unit: "s", values: x.time }, x, y];
  heading.append(saveButtons({ title: `${y.name}-over-${x.name}`, drawing: () => pairDrawing(pair, 640, 480).root, columns }), close);
  pair.card.append(heading, pair.body);
  byId("plot-list").prepend(pair.card);
  pairs.all.push(pair);
  new ResizeObserver(() => drawPair(pair)).observe(pair.card);
  drawPair(pair);
  return pair.card;
}

function pairDrawing({ x, y }, width, height) {
  const axis = (c) => ({ label: c.name, unit: c.unit, range: rangeOf([c.values], 0.06) });
  const drawing = chart({ width, height, x: axis(x), y: axis(y), equal: Boolean(x.unit) && x.unit === y.unit });
  drawing.inside.append(curveOf(curvePath(x.values, y.values, drawing.px, drawing.py), "var(--c0)"));
  return drawing;
}

function drawPair(pair) {
  const width = Math.max(160, pair.card.clientWidth - 26);
  if (pair.width === width) return;
  pair.width = width;
  pair.drawing = pairDrawing(pair, width, pair.card.closest(".beside") ? 260 : 340);
  pair.dot = svgElement("circle", { r: 4.5, fill: "var(--ink)" });
  pair.drawing.inside.append(pair.dot);
  pair.body.replaceChildren(pair.drawing.root);
  markPair(pair);
}

/** Puts the dot where the motion is now. */
function markPair({ x, y, drawing, dot }) {
  if (!drawing) return;
  const i = indexAt(x.time, player.time);
  const j = Math.min(i + 1, x.time.length - 1);
  const part = j > i ? Math.min(1, Math.max(0, (player.time - x.time[i]) / (x.time[j] - x.time[i]))) : 0;
  const at = ({ values }) => values[i] + part * (values[j] - values[i]);
  const place = [drawing.px(at(x)), drawing.py(at(y))];
  dot.setAttribute("visibility", place.every(Number.isFinite) ? "visible" : "hidden");
  if (place.every(Number.isFinite)) [["cx", place[0]], ["cy", place[1]]].forEach(([key, value]) => dot.setAttribute(key, value.toFixed(2)));
}

function setUpPairs() {
  for (const button of document.querySelectorAll("[data-pair]")) button.addEventListener("click", () => setPicking(!pairs.picking));
  addEventListener("keydown", (event) => event.key === "Escape" && pairs.picking && setPicking(false));
  player.onChange(() => pairs.all.forEach((pair) => pair.card.offsetParent && markPair(pair)));
}
