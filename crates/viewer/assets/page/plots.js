// Plots over time. All share one time axis: zooming one zooms all, and all show the present time of the animation.

const plots = { all: [], window: null, hovered: false };
const COLORS = 8;

/** A card with one plot; drawn when it first comes into view. */
function plotCard(host, plot) {
  const card = element("div", "card plot");
  const heading = element("h3", "", plot.title);
  if (plot.unit) heading.append(element("span", "", `[${plot.unit}]`));
  const columns = () => [{ name: "t", unit: "s", values: plot.time }, ...plot.curves.map((c) => ({ name: c.name, unit: plot.unit, values: c.values }))];
  heading.append(saveButtons({ title: plot.title, drawing: () => plotDrawing(plot), columns }));
  card.append(heading);
  if (plot.note) card.append(element("p", "fine", plot.note));
  plot.card = card;
  plot.body = element("div");
  card.append(plot.body);
  host.append(card);
  plots.all.push(plot);
  new IntersectionObserver(([entry], observer) => {
    if (!entry.isIntersecting) return;
    observer.disconnect();
    drawPlot(plot);
    new ResizeObserver(() => fitPlot(plot)).observe(card);
  }).observe(card);
}

const plotSize = (plot) => ({
  width: Math.max(160, plot.card.clientWidth - 26),
  height: plot.card.closest(".beside") ? 178 : 250,
});

function fitPlot(plot) {
  const size = plotSize(plot);
  if (plot.chart && size.width > 160 && (size.width !== plot.chart.width || size.height !== plot.chart.height)) {
    plot.chart.setSize(size);
    markNow(plot);
  }
}

/** Makes the chart, anew after a change of theme or of its curves. */
function drawPlot(plot, anew = false) {
  const shown = anew ? undefined : plot.chart?.series.map((s) => s.show);
  plot.chart?.destroy();
  const soft = themeColor("soft");
  // A whole number of pixels: uPlot takes the digits before "px" and multiplies them by the density of the screen.
  const font = "12px system-ui, sans-serif";
  const axis = { stroke: soft, grid: { stroke: themeColor("faint"), width: 1 }, ticks: { show: false }, font, labelFont: font };
  const labels = (u, values) => values.map((v) => (v == null ? "" : number(v)));
  const curve = (c, k) => ({
    label: c.name,
    stroke: curveColor(c.color ?? k),
    width: 1.6,
    pxAlign: 0,
    paths: c.steps ? V.uPlot.paths.stepped({ align: 1 }) : undefined,
    dash: c.other ? [4, 4] : k >= COLORS ? [8, 3] : undefined,
    alpha: c.other ? 0.75 : 1,
    fill: plot.stack ? translucent(curveColor(c.color ?? k)) : undefined,
    points: { show: plot.time.length < 2 },
    show: shown ? shown[k + 1] : !plot.hidden?.includes(c.name),
    value: (u, v, s, i) => (i == null ? "–" : withUnit(c.values[i], plot.unit)),
  });
  const options = {
    ...plotSize(plot),
    scales: { x: { time: false, ...(plot.time.length === 1 && { range: [plot.time[0] - 1, plot.time[0] + 1] }) }, y: { range: comfortableRange } },
    series: [{ label: "t", value: (u, v) => (v == null ? "–" : `${number(v)} s`) }, ...plot.curves.map(curve)],
    axes: [
      { ...axis, values: labels, size: 24, gap: 3, label: "t [s]", labelSize: 15, labelGap: 0 },
      { ...axis, values: labels, incrs: roundSteps, splits: ticksBy, size: axisWidth, gap: 5, space: 22 },
    ],
    padding: [8, roomForLast, 0, 0],
    cursor: { y: false, sync: { key: "time", scales: ["x", null] }, drag: { dist: 5 }, points: { size: 6 } },
    legend: { markers: { width: 2 } },
    hooks: {
      ready: [() => markNow(plot, true)],
      setScale: [(u, key) => key === "x" && shareWindow(plot, u)],
      setSize: [() => markNow(plot)],
      setSeries: [(u, k, change) => plot.stack && change.show !== undefined && restack(plot, u)],
    },
  };
  if (plot.stack) options.bands = bandsOf(plot.curves.map(() => true));
  const data = [plot.time, ...(plot.stack ? stacked(plot, shown?.slice(1)) : plot.curves.map((c) => c.plotted))];
  plot.body.replaceChildren();
  plot.chart = new V.uPlot(options, data, plot.body);
  if (plots.window) plot.chart.setScale("x", plots.window);
  describeLegend(plot);
  watchPlot(plot);
}

/** Range of the ordinate: some air, and no noise blown up around a constant. */
function comfortableRange(u, low, high) {
  if (low == null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const width = high - low;
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (width <= 1e-12 * size || width === 0) return size === 0 ? [-1, 1] : [low - 0.1 * size, high + 0.1 * size];
  return [low - 0.06 * width, high + 0.06 * width];
}

/** Round steps for the ticks of a range of any size; those that uPlot knows end at 10¹⁶. */
function roundSteps(u, axis, low, high) {
  const decade = Math.floor(Math.log10(high - low));
  return [-2, -1, 0].flatMap((k) => [1, 2, 5].map((factor) => Number(`${factor}e${decade + k}`)));
}

/** Half of the last label of the time axis stands beyond the axis. */
const roomForLast = (u) => Math.max(14, 4 + 3.6 * number(u.scales.x.max ?? 0).length);

function axisWidth(u, values) {
  const longest = (values ?? []).reduce((n, v) => Math.max(n, v.length), 0);
  return 12 + 6.9 * Math.max(3, longest);
}

const translucent = (color) => color.replace(/^rgb\((.*)\)$/, "rgba($1, 0.28)");

/** Values on top of one another, those of hidden curves left out; each curve is measured from its own least value. */
function stacked(plot, shown = plot.curves.map(() => true)) {
  const sum = new Float64Array(plot.time.length);
  return plot.curves.map((curve, k) => {
    if (shown[k]) curve.values.forEach((v, i) => (sum[i] += Number.isFinite(v) ? v - curve.least : 0));
    return Float64Array.from(sum);
  });
}

/** Each curve is filled down to the curve below it. */
function bandsOf(shown) {
  const visible = shown.flatMap((on, k) => (on ? [k + 1] : []));
  return visible.slice(1).map((k, i) => ({ series: [k, visible[i]] }));
}

function restack(plot, u) {
  const shown = u.series.slice(1).map((s) => s.show);
  u.delBand(null);
  bandsOf(shown).forEach((band) => u.addBand(band));
  u.setData([plot.time, ...stacked(plot, shown)], false);
  u.redraw(true);
}

/** Descriptions of curves as hints on their names, which can be picked. */
function describeLegend(plot) {
  plot.body.querySelectorAll(".u-legend .u-series").forEach((row, k) => {
    const curve = plot.curves[k - 1];
    const name = row.querySelector("th");
    name.title = curve ? curve.description || curve.name : "time";
    const pick = (event) => {
      if (!pairs.picking) return;
      event.stopImmediatePropagation();
      pickCurve(plot, curve ?? { name: "t", values: plot.time, timeAxis: true });
    };
    row.addEventListener("click", pick, true);
  });
}

/** A click moves the animation; the pointer's place is shown in all plots. */
function watchPlot(plot) {
  const { over } = plot.chart;
  plot.now = element("div", "now");
  over.append(plot.now);
  let pressed = null;
  over.addEventListener("mousedown", (event) => (pressed = event.clientX));
  over.addEventListener("mouseup", (event) => {
    if (pressed === null || Math.abs(event.clientX - pressed) > 4) return;
    if (pairs.picking) {
      const { left, top } = over.getBoundingClientRect();
      const curve = curveAt(plot, event.clientX - left, event.clientY - top);
      return curve && pickCurve(plot, curve);
    }
    player.seek(plot.chart.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
  });
  over.addEventListener("mouseenter", () => (plots.hovered = true));
  over.addEventListener("mouseleave", () => {
    plots.hovered = false;
    plots.all.forEach((other) => markNow(other, true));
  });
}

/** Gives the time window of one chart to all others. */
function shareWindow(plot, u) {
  const { min, max } = u.scales.x;
  plot.card.dataset.from = min;
  plot.card.dataset.to = max;
  markNow(plot);
  if (u.status !== 1 || (plots.window && plots.window.min === min && plots.window.max === max)) return;
  plots.window = { min, max };
  for (const other of plots.all) if (other.chart && other.chart !== u) other.chart.setScale("x", plots.window);
}

/** Moves the line of the present time, and shows the values there unless the pointer asks for others. */
function markNow(plot, values = false) {
  if (!plot.chart || !plot.now) return;
  const { min, max } = plot.chart.scales.x;
  if (min == null) return;
  const x = plot.chart.valToPos(player.time, "x");
  plot.now.hidden = !Number.isFinite(x) || player.time < min || player.time > max;
  plot.now.style.transform = `translateX(${x}px)`;
  if (values && !plots.hovered && plot.time.length) plot.chart.setLegend({ idx: nearestIndex(plot.time, player.time) }, false);
}

function nearestIndex(times, t) {
  const i = indexAt(times, t);
  return i + 1 < times.length && times[i + 1] - t < t - times[i] ? i + 1 : i;
}

/** The plots of all series. */
function seriesPlots(time) {
  const curves = report.series.map((series) => {
    const values = unpack(series.values);
    return { ...series, values, plotted: plottable(values) };
  });
  return report.panels.map(({ title, unit, curves: members }) => ({ title, unit, time, curves: members.map((k) => curves[k]) }));
}

/** Where the energy is, who put it there, and what is unexplained. */
function energyPlots(time) {
  const { unit, rows, residual, audited } = report.energy;
  const curves = rows.map((row, k) => {
    const values = unpack(row.values);
    const least = values.reduce((least, v) => (v < least ? v : least), Infinity);
    return { ...row, color: k, values, plotted: plottable(values), least: row.kind === "kinetic" || !Number.isFinite(least) ? 0 : least };
  });
  const stored = curves.filter((c) => c.kind !== "work");
  const work = curves.filter((c) => c.kind === "work");
  const made = [];
  if (stored.length) {
    const note = "Stacked; potential energies count from their least value.";
    made.push({ title: "Where the energy is", note, unit, time, curves: stored, stack: true });
    made.push({ title: "Energies", unit, time, curves: stored.length > 1 ? [...stored, totalOf(stored)] : stored });
  }
  if (work.length) made.push({ title: "Work of forces since the start", unit, time, curves: work });
  if (audited) {
    const values = unpack(residual);
    made.push({ title: "Unexplained energy", unit, time, curves: [{ name: "residual", color: 6, values, plotted: plottable(values) }] });
  }
  return made;
}

function totalOf(curves) {
  const values = curves[0].values.map((_, i) => curves.reduce((sum, c) => sum + c.values[i], 0));
  return { name: "total", description: "Kinetic and potential energy together", color: 7, values, plotted: plottable(values) };
}

/** Makes all plots and keeps them in step with the animation. */
function setUpPlots() {
  const time = unpack(report.time);
  const series = seriesPlots(time);
  const energy = energyPlots(time);
  series.forEach((plot) => plotCard(byId("plot-list"), plot));
  energy.forEach((plot) => plotCard(byId("energy-plots"), plot));
  if (!series.length) byId("plot-list").append(element("p", "empty", "This report has no series to plot."));
  if (!energy.length) byId("energy-plots").append(element("p", "empty", "This report has no energy audit."));

  if (report.samples > time.length) {
    byId("thinned").textContent = `Curves are drawn through ${time.length} of ${report.samples} samples; their extremes are kept.`;
  }

  byId("filter").addEventListener("input", (event) => {
    const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const plot of series) {
      const text = [plot.title, plot.unit, ...plot.curves.flatMap((c) => [c.name, c.description])].join(" ").toLowerCase();
      plot.card.hidden = !words.every((word) => text.includes(word));
    }
  });

  let valuesAt = 0;
  player.onChange(() => {
    const values = !player.playing || performance.now() - valuesAt > 100;
    if (values) valuesAt = performance.now();
    for (const plot of plots.all) if (plot.card.offsetParent) markNow(plot, values);
  });
  return series.length > 0;
}
