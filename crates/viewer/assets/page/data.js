// What the page knows, and small things that every part needs: arrays, colours, numbers as text.

const report = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

/** A packed array as Float64Array or Float32Array. */
function unpack(array) {
  if (!array) return new Float64Array(0);
  const text = array.f64 ?? array.f32 ?? "";
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return array.f64 !== undefined ? new Float64Array(bytes.buffer) : new Float32Array(bytes.buffer);
}

/** Values for a plot: gaps are null. */
function plottable(values) {
  return values.every(Number.isFinite) ? values : Array.from(values, (v) => (Number.isFinite(v) ? v : null));
}

const probe = document.createElement("span");
probe.hidden = true;
document.body.append(probe);

/** A colour of the style sheet as the current theme shows it. */
function themeColor(name) {
  probe.style.color = `var(--${name})`;
  return getComputedStyle(probe).color;
}

const prefersDark = matchMedia("(prefers-color-scheme: dark)");

/** Whether the page is dark now: by the reader's choice here, or else by the system's. */
const isDark = () => (document.documentElement.dataset.theme ?? (prefersDark.matches ? "dark" : "light")) === "dark";

/** The colour of the k-th curve. */
const curveColor = (k) => themeColor(`c${k % 8}`);

/** A number with about five significant digits and a true minus sign. */
function number(value) {
  if (value == null || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const extreme = size !== 0 && (size >= 1e6 || size < 1e-4);
  const text = extreme ? value.toExponential(3).replace(/\.?0+e\+?/, "e").replace("e+", "e") : String(+value.toPrecision(5));
  return text.replaceAll("-", "−");
}

const withUnit = (value, unit) => (unit ? `${number(value)} ${unit}` : number(value));

/** Index of the last entry of the increasing array `times` that is not after `t`; 0 if all are. */
function indexAt(times, t) {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** An element with class, text and attributes. */
function element(tag, className, text, attributes = {}) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
