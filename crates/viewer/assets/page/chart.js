// A chart in SVG: axes with round numbers, and what is drawn between them. Colours are those of
// the style sheet.

const SVG = "http://www.w3.org/2000/svg";

/** An element of a drawing. */
function svgElement(tag, attributes = {}, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Least and greatest finite value; a range of its own around a constant. */
function rangeOf(arrays, air = 0.04) {
  let [low, high] = [Infinity, -Infinity];
  for (const values of arrays) {
    for (const v of values) {
      if (!Number.isFinite(v)) continue;
      if (v < low) low = v;
      if (v > high) high = v;
    }
  }
  if (low > high) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low <= 1e-12 * size || high === low) return size === 0 ? [-1, 1] : [low - 0.1 * size, high + 0.1 * size];
  return [low - air * (high - low), high + air * (high - low)];
}

/** Round numbers within a range, at most about `most` of them. */
function roundTicks(low, high, most) {
  const raw = (high - low) / Math.max(1, most);
  const decade = 10 ** Math.floor(Math.log10(raw));
  const step = decade * ([1, 2, 5, 10].find((factor) => factor * decade >= raw * (1 - 1e-9)) ?? 10);
  return ticksBy(null, 0, low, high, step);
}

/** Multiples of a step within a range, without the noise of their last digits. */
function ticksBy(u, axis, low, high, step) {
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && ticks.length < 100; k++) ticks.push(+(k * step).toPrecision(12));
  return ticks;
}

const axisName = ({ label, unit }) => (unit ? `${label} [${unit}]` : label);

/**
 * A chart with the axes `x` and `y`, each with `label`, `unit` and `range`. With `equal`, a unit
 * of x is as long as one of y; `top` is left free above. Returns the drawing, the group for what
 * is drawn within it, and the places of values.
 */
function chart({ width, height, x, y, equal = false, top = 12 }) {
  const longest = roundTicks(...y.range, 6).reduce((n, v) => Math.max(n, number(v).length), 0);
  const box = { left: 30 + 6.9 * Math.max(3, longest), top, right: width - 18, bottom: height - 40 };
  const [inner, tall] = [box.right - box.left, box.bottom - box.top];
  let [[x0, x1], [y0, y1]] = [x.range, y.range];
  if (equal) {
    const per = Math.max((x1 - x0) / inner, (y1 - y0) / tall);
    const widen = (low, high, pixels) => [(low + high - per * pixels) / 2, (low + high + per * pixels) / 2];
    [[x0, x1], [y0, y1]] = [widen(x0, x1, inner), widen(y0, y1, tall)];
  }
  const px = (v) => box.left + ((v - x0) / (x1 - x0)) * inner;
  const py = (v) => box.bottom - ((v - y0) / (y1 - y0)) * tall;
  const root = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "chart", "font-family": "system-ui, sans-serif", "font-size": 12 });
  const grid = (d) => svgElement("path", { d, stroke: "var(--faint)", "stroke-width": 1, fill: "none" });
  const word = (at, text, attributes) => svgElement("text", { x: at[0], y: at[1], fill: "var(--soft)", ...attributes }, text);
  for (const v of roundTicks(x0, x1, inner / 80)) {
    root.append(grid(`M${px(v)} ${box.top}V${box.bottom}`), word([px(v), box.bottom + 16], number(v), { "text-anchor": "middle" }));
  }
  for (const v of roundTicks(y0, y1, tall / 36)) {
    root.append(grid(`M${box.left} ${py(v)}H${box.right}`), word([box.left - 6, py(v) + 4], number(v), { "text-anchor": "end" }));
  }
  root.append(word([(box.left + box.right) / 2, height - 6], axisName(x), { "text-anchor": "middle" }));
  root.append(word([0, 0], axisName(y), { "text-anchor": "middle", transform: `translate(12 ${(box.top + box.bottom) / 2}) rotate(-90)` }));
  const inside = svgElement("g");
  root.append(inside);
  return { root, inside, px, py, box, ranges: [[x0, x1], [y0, y1]] };
}

/** A curve through points; gaps where a value is not finite. */
function curvePath(xs, ys, px, py) {
  let d = "";
  let pen = false;
  for (let k = 0; k < Math.min(xs.length, ys.length); k++) {
    const known = xs[k] != null && ys[k] != null && Number.isFinite(xs[k]) && Number.isFinite(ys[k]);
    if (known) d += `${pen ? "L" : "M"}${px(xs[k]).toFixed(2)} ${py(ys[k]).toFixed(2)}`;
    pen = known;
  }
  return d;
}

const curveOf = (d, color, attributes = {}) => svgElement("path", { d, stroke: color, fill: "none", "stroke-width": 1.7, "stroke-linejoin": "round", ...attributes });

/** The drawing as a text of its own, with the colours that it has now. */
function svgText(root) {
  const copy = root.cloneNode(true);
  copy.setAttribute("xmlns", SVG);
  copy.prepend(svgElement("rect", { width: "100%", height: "100%", fill: "var(--card)" }));
  return new XMLSerializer().serializeToString(copy).replace(/var\(--([a-z0-9-]+)\)/g, (_, name) => themeColor(name));
}
