// The page of a sweep: a result against what varied, then its distribution.

const axes = report.varied.map((v) => ({ ...v, values: unpack(v.values) }));
const quantities = report.quantities.map((q) => ({ ...q, end: unpack(q.end), least: unpack(q.least), greatest: unpack(q.greatest) }));
const PARTS = { end: "at the end", least: "least", greatest: "greatest" };
const chosen = { quantity: 0, part: "end", brushes: new Map() };
/** Points of a figure at most: more cannot be told apart. */
const MOST_POINTS = 3000;

const members = axes.length ? axes[0].values.length : 0;
const stride = Math.max(1, Math.ceil(members / MOST_POINTS));
const drawn = Array.from({ length: Math.ceil(members / stride) }, (_, k) => k * stride);

/** Colours of a scale from dark blue by green to yellow, in equal steps of lightness. */
const SCALE = ["#3b1c6b", "#3f4a8a", "#2d7c8d", "#2fa77c", "#8ccb4d", "#f4e13c"];

function scaleColor(part) {
  const at = Math.min(1, Math.max(0, part)) * (SCALE.length - 1);
  const k = Math.min(Math.floor(at), SCALE.length - 2);
  const channel = (color, c) => parseInt(color.slice(1 + 2 * c, 3 + 2 * c), 16);
  const mix = [0, 1, 2].map((c) => Math.round(channel(SCALE[k], c) + (at - k) * (channel(SCALE[k + 1], c) - channel(SCALE[k], c))));
  return `rgb(${mix.join(", ")})`;
}

/** The different values of an axis, increasing; nothing if they are too many for a grid. */
function levels(values) {
  const found = [...new Set(values)].sort((a, b) => a - b);
  return found.length <= 200 ? found : null;
}

const result = () => quantities[chosen.quantity];
const resultValues = () => result()[chosen.part];
const resultAxis = (values = [resultValues()]) => ({ label: `${result().name}, ${PARTS[chosen.part]}`, unit: result().unit, range: rangeOf(values, 0.06) });
const parameterAxis = (a, air = 0.03) => ({ label: a.name, unit: a.unit, range: rangeOf([a.values], air) });

/** A card with a heading, a drawing made anew at each change of width, and buttons to save it. */
function figure(host, title, draw, columns, wide = false) {
  const card = element("div", `card plot${wide ? " wide" : ""}`);
  const heading = element("h3", "", title);
  heading.append(saveButtons({ title, drawing: () => draw(720, 420), columns }));
  const body = element("div");
  card.append(heading, body);
  host.append(card);
  const width = Math.max(200, card.clientWidth - 26);
  body.append(draw(width, wide ? 360 : 320));
}

const allColumns = () => [...axes, { name: `${result().name} ${PARTS[chosen.part]}`, unit: result().unit, values: resultValues() }];

/** Shows the values of a motion at the pointer. */
function describe(mark, k) {
  const tip = byId("tip");
  mark.addEventListener("pointerenter", (event) => {
    const line = (name, value, unit) => element("small", "", `${name} = ${withUnit(value, unit)}`);
    const parts = Object.entries(PARTS).map(([part, words]) => line(`${result().name} ${words}`, result()[part][k], result().unit));
    tip.replaceChildren(`motion ${report.numbers?.[k] ?? k + 1}`, ...axes.map((a) => line(a.name, a.values[k], a.unit)), ...parts);
    tip.hidden = false;
    tip.style.left = `${Math.min(event.pageX + 14, document.documentElement.clientWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${event.pageY + 14}px`;
  });
  mark.addEventListener("pointerleave", () => (tip.hidden = true));
}

/** Results along one parameter as lines: at the end, least and greatest together. */
function drawLines(axis, width, height) {
  const order = axis.values.map((_, k) => k).sort((i, j) => axis.values[i] - axis.values[j]);
  const parts = Object.keys(PARTS);
  const y = { label: result().name, unit: result().unit, range: rangeOf(parts.map((p) => result()[p]), 0.06) };
  const made = chart({ width, height: height - 20, x: parameterAxis(axis, 0.02), y });
  const xs = Array.from(order, (k) => axis.values[k]);
  parts.forEach((part, c) => {
    const ys = Array.from(order, (k) => result()[part][k]);
    const main = part === chosen.part;
    made.inside.append(curveOf(curvePath(xs, ys, made.px, made.py), `var(--c${c})`, { "stroke-width": main ? 2.4 : 1.4, opacity: main ? 1 : 0.55 }));
  });
  for (const k of members <= 200 ? order : []) {
    const y = resultValues()[k];
    if (!Number.isFinite(y)) continue;
    const dot = svgElement("circle", { cx: made.px(axis.values[k]), cy: made.py(y), r: 4, fill: `var(--c${parts.indexOf(chosen.part)})` });
    describe(dot, k);
    made.inside.append(dot);
  }
  return withLegend(made, parts.map((part, c) => [PARTS[part], `var(--c${c})`]), height);
}

/** Adds names of colours below a drawing. */
function withLegend({ root, box }, entries, height) {
  const width = Number(root.getAttribute("width"));
  root.setAttribute("height", height);
  root.setAttribute("viewBox", `0 0 ${width} ${height}`);
  let x = box.left;
  for (const [name, color] of entries) {
    root.append(curveOf(`M${x} ${height - 8}h16`, color, { "stroke-width": 2.5 }));
    root.append(svgElement("text", { x: x + 21, y: height - 4, fill: "var(--ink)" }, name));
    x += 36 + 7 * name.length;
  }
  return root;
}

/** A bar that tells which colour is which value, to the right of a drawing. */
function colorBar({ root, box }, [low, high], right) {
  const cells = 60;
  const tall = box.bottom - box.top;
  for (let k = 0; k < cells; k++) {
    const y = box.bottom - ((k + 1) / cells) * tall;
    root.append(svgElement("rect", { x: right, y, width: 12, height: tall / cells + 0.6, fill: scaleColor((k + 0.5) / cells) }));
  }
  for (const v of roundTicks(low, high, 5)) {
    const y = box.bottom - ((v - low) / (high - low)) * tall;
    root.append(svgElement("text", { x: right + 17, y: y + 4, fill: "var(--soft)" }, number(v)));
  }
}

/** A chart that leaves room for a colour bar. */
function coloredChart(width, height, x, y) {
  const values = resultValues();
  const range = rangeOf([values], 0);
  const made = chart({ width: width - 74, height, x, y, top: 24 });
  made.root.setAttribute("width", width);
  made.root.setAttribute("viewBox", `0 0 ${width} ${height}`);
  colorBar(made, range, width - 68);
  return { ...made, color: (v) => scaleColor((v - range[0]) / (range[1] - range[0])) };
}

/** Two parameters on a grid: the result as a colour per cell. */
function drawHeat([a, b], rows, columns, width, height) {
  const edges = (levels) => {
    const middle = levels.slice(1).map((v, k) => (v + levels[k]) / 2);
    const [first, last] = [levels[0], levels[levels.length - 1]];
    return [2 * first - (middle[0] ?? first - 1), ...middle, 2 * last - (middle[middle.length - 1] ?? last - 1)];
  };
  const [ex, ey] = [edges(columns), edges(rows)];
  const axis = (v, e) => ({ label: v.name, unit: v.unit, range: [e[0], e[e.length - 1]] });
  const made = coloredChart(width, height, axis(a, ex), axis(b, ey));
  resultValues().forEach((v, k) => {
    const [i, j] = [columns.indexOf(a.values[k]), rows.indexOf(b.values[k])];
    const [x0, x1, y0, y1] = [made.px(ex[i]), made.px(ex[i + 1]), made.py(ey[j + 1]), made.py(ey[j])];
    const cell = svgElement("rect", { x: x0, y: y0, width: x1 - x0 + 0.5, height: y1 - y0 + 0.5, fill: Number.isFinite(v) ? made.color(v) : "var(--faint)" });
    describe(cell, k);
    made.inside.append(cell);
  });
  return made.root;
}

/** The result along one parameter, one line per value of the other. */
function drawFamily([a, b], rows, width, height) {
  const made = coloredChartBy(b, rows, width, height, parameterAxis(a, 0.02), resultAxis());
  for (const level of rows) {
    const order = drawnAll().filter((k) => b.values[k] === level).sort((i, j) => a.values[i] - a.values[j]);
    const line = curveOf(curvePath(order.map((k) => a.values[k]), order.map((k) => resultValues()[k]), made.px, made.py), made.color(level));
    line.append(svgElement("title", {}, `${b.name} = ${withUnit(level, b.unit)}`));
    made.inside.append(line);
  }
  return made.root;
}

const drawnAll = () => Array.from({ length: members }, (_, k) => k);

function coloredChartBy(axis, rows, width, height, x, y) {
  const range = [rows[0], rows.length > 1 ? rows[rows.length - 1] : rows[0] + 1];
  const made = chart({ width: width - 74, height, x, y, top: 24 });
  made.root.setAttribute("width", width);
  made.root.setAttribute("viewBox", `0 0 ${width} ${height}`);
  colorBar(made, range, width - 68);
  made.root.append(svgElement("text", { x: width - 4, y: 10, fill: "var(--soft)", "text-anchor": "end" }, axisName({ label: axis.name, unit: axis.unit })));
  return { ...made, color: (v) => scaleColor((v - range[0]) / (range[1] - range[0])) };
}

/** One point per motion. */
function drawScatter(x, y, ys, color, width, height) {
  const made = color ? coloredChart(width, height, x.axis, y) : chart({ width, height, x: x.axis, y });
  for (const k of drawn) {
    const [u, v] = [x.values[k], ys[k]];
    if (!Number.isFinite(u) || !Number.isFinite(v) || (color && !Number.isFinite(color[k]))) continue;
    const dot = svgElement("circle", { cx: made.px(u), cy: made.py(v), r: members > 500 ? 2.5 : 4, fill: color ? made.color(color[k]) : "var(--c0)", opacity: color ? 0.95 : 0.65, "data-k": k });
    if (!kept(k)) dot.setAttribute("opacity", 0.06);
    describe(dot, k);
    made.inside.append(dot);
  }
  return made.root;
}

/** Whether a motion lies within all ranges that were dragged on the parallel axes. */
const kept = (k) => [...chosen.brushes].every(([c, [low, high]]) => parallelColumns()[c].values[k] >= low && parallelColumns()[c].values[k] <= high);

const parallelColumns = () => [...axes, { name: `${result().name} ${PARTS[chosen.part]}`, unit: result().unit, values: resultValues() }];

/**
 * Parallel coordinates: an axis per parameter and one for the result, a line per motion. Dragging
 * along an axis keeps a range.
 */
function drawParallel(width, height) {
  const columns = parallelColumns();
  const ranges = columns.map((c) => rangeOf([c.values], 0.02));
  const [top, bottom, left, right] = [34, height - 22, 60, width - 60];
  const px = (c) => left + ((right - left) * c) / (columns.length - 1);
  const py = (c, v) => bottom - ((v - ranges[c][0]) / (ranges[c][1] - ranges[c][0])) * (bottom - top);
  const root = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "chart", "font-family": "system-ui, sans-serif", "font-size": 12 });
  const last = columns.length - 1;
  const [low, high] = ranges[last];
  for (const k of drawn) {
    const values = columns.map((c) => c.values[k]);
    if (!values.every(Number.isFinite)) continue;
    const d = values.map((v, c) => `${c ? "L" : "M"}${px(c).toFixed(1)} ${py(c, v).toFixed(1)}`).join("");
    const line = curveOf(d, scaleColor((values[last] - low) / (high - low)), { "stroke-width": members > 300 ? 1 : 1.5, opacity: kept(k) ? 0.75 : 0.05 });
    if (kept(k)) describe(line, k);
    root.append(line);
  }
  columns.forEach((column, c) => {
    const x = px(c);
    root.append(svgElement("path", { d: `M${x} ${top}V${bottom}`, stroke: "var(--ink)", "stroke-width": 1.2 }));
    root.append(svgElement("text", { x: c === 0 ? 4 : c === last ? width - 4 : x, y: 14, fill: "var(--ink)", "text-anchor": c === 0 ? "start" : c === last ? "end" : "middle" }, axisName({ label: column.name, unit: column.unit })));
    for (const v of roundTicks(...ranges[c], 5)) root.append(svgElement("text", { x: x + (c === last ? 6 : -6), y: py(c, v) + 4, fill: "var(--soft)", stroke: "var(--card)", "stroke-width": 3, "paint-order": "stroke", "text-anchor": c === last ? "start" : "end" }, number(v)));
    const brush = chosen.brushes.get(c);
    if (brush) root.append(svgElement("rect", { x: x - 7, width: 14, y: py(c, brush[1]), height: Math.max(2, py(c, brush[0]) - py(c, brush[1])), fill: "var(--accent)", opacity: 0.35 }));
    const handle = svgElement("rect", { x: x - 14, y: top, width: 28, height: bottom - top, fill: "transparent", class: "axis-handle", "data-axis": c });
    const value = (event) => {
      const { top: above, height: tall } = root.getBoundingClientRect();
      const y = ((event.clientY - above) / tall) * height;
      return ranges[c][0] + ((bottom - y) / (bottom - top)) * (ranges[c][1] - ranges[c][0]);
    };
    handle.addEventListener("pointerdown", (event) => {
      const from = value(event);
      handle.setPointerCapture(event.pointerId);
      handle.addEventListener("pointerup", (end) => {
        const to = value(end);
        if (Math.abs(py(c, to) - py(c, from)) < 4) chosen.brushes.delete(c);
        else chosen.brushes.set(c, [Math.min(from, to), Math.max(from, to)]);
        show();
      }, { once: true });
    });
    root.append(handle);
  });
  return root;
}

/** How the result spreads: counts in equal cells, and the share of motions below each value. */
function drawHistogram(width, height) {
  const values = resultValues().filter(Number.isFinite);
  const [low, high] = rangeOf([values], 0);
  const cells = Math.max(5, Math.min(40, Math.ceil(Math.sqrt(values.length))));
  const counts = new Array(cells).fill(0);
  for (const v of values) counts[Math.min(cells - 1, Math.floor(((v - low) / (high - low)) * cells))]++;
  const made = chart({ width, height, x: resultAxis([values]), y: { label: "motions", unit: "", range: [0, Math.max(...counts, 1) * 1.08] } });
  counts.forEach((n, k) => {
    const [x0, x1] = [0, 1].map((end) => made.px(low + ((k + end) / cells) * (high - low)));
    made.inside.append(svgElement("rect", { x: x0 + 0.5, width: Math.max(1, x1 - x0 - 1), y: made.py(n), height: made.box.bottom - made.py(n), fill: "var(--c0)", opacity: 0.75 }));
  });
  return made.root;
}

function drawShares(width, height) {
  const parts = Object.keys(PARTS);
  const sorted = parts.map((part) => Float64Array.from(result()[part].filter(Number.isFinite)).sort());
  const x = { label: result().name, unit: result().unit, range: rangeOf(sorted, 0.04) };
  const made = chart({ width, height: height - 20, x, y: { label: "share of motions below", unit: "", range: [0, 1] } });
  sorted.forEach((values, c) => {
    const shares = values.map((_, k) => (k + 0.5) / values.length);
    made.inside.append(curveOf(curvePath(values, shares, made.px, made.py), `var(--c${c})`));
  });
  return withLegend(made, parts.map((part, c) => [PARTS[part], `var(--c${c})`]), height);
}

/**
 * The figures that suit what varied: lines for one, a heat map for two on a grid, points and
 * parallel axes for more.
 */
function showAgainst() {
  const host = byId("against");
  host.replaceChildren();
  if (axes.length === 1) return figure(host, `${result().name} against ${axes[0].name}`, (w, h) => drawLines(axes[0], w, h), allColumns, true);
  const [a, b] = axes;
  const [columns, rows] = [levels(a.values), levels(b.values)];
  const onGrid = axes.length === 2 && columns && rows && columns.length * rows.length === members && members > 1;
  if (onGrid) {
    figure(host, `${result().name} over ${a.name} and ${b.name}`, (w, h) => drawHeat([a, b], rows, columns, w, h), allColumns);
    figure(host, `${result().name} against ${a.name}`, (w, h) => drawFamily([a, b], rows, w, h), allColumns);
    figure(host, `${result().name} against ${b.name}`, (w, h) => drawFamily([b, a], columns, w, h), allColumns);
    return;
  }
  if (axes.length === 2) figure(host, `${result().name} over ${a.name} and ${b.name}`, (w, h) => drawScatter({ axis: parameterAxis(a), values: a.values }, parameterAxis(b), b.values, resultValues(), w, h), allColumns);
  for (const axis of axes.slice(0, 8)) {
    figure(host, `${result().name} against ${axis.name}`, (w, h) => drawScatter({ axis: parameterAxis(axis), values: axis.values }, resultAxis(), resultValues(), null, w, h), allColumns);
  }
  figure(host, "Parallel coordinates: drag along an axis to keep a range", drawParallel, allColumns, true);
}

function showSpread() {
  const host = byId("spread");
  host.replaceChildren();
  figure(host, `${result().name}, ${PARTS[chosen.part]}`, drawHistogram, allColumns);
  figure(host, "Share of motions below each value", drawShares, allColumns);
}

function show() {
  byId("tip").hidden = true;
  byId("what").textContent = result().description ?? "";
  for (const button of document.querySelectorAll("[data-part]")) button.setAttribute("aria-pressed", button.dataset.part === chosen.part);
  showAgainst();
  showSpread();
}

chosen.quantity = Math.max(0, quantities.findIndex((q) => q.end.some((v) => v !== q.end[0])));
quantities.forEach((q, k) => byId("quantity").append(element("option", "", axisName({ label: q.name, unit: q.unit }), { value: k })));
byId("quantity").value = chosen.quantity;
byId("quantity").addEventListener("change", (event) => {
  chosen.quantity = Number(event.target.value);
  chosen.brushes.clear();
  show();
});
for (const button of document.querySelectorAll("[data-part]")) {
  button.addEventListener("click", () => {
    chosen.part = button.dataset.part;
    chosen.brushes.delete(axes.length);
    show();
  });
}
byId("theme").addEventListener("click", () => (document.documentElement.dataset.theme = isDark() ? "light" : "dark"));
let shownWidth = 0;
new ResizeObserver(() => {
  const width = document.documentElement.clientWidth;
  if (Math.abs(width - shownWidth) < 8 || !quantities.length || !members) return;
  shownWidth = width;
  show();
}).observe(document.body);
