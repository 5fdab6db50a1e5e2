// Another run beside this one: its curves dashed in the same plots, its bodies translucent in the
// same view.

/** What a file holds: a page of cardan, or a table of results. */
function readRun(name, text) {
  const found = / id="data">([^<]*)</.exec(text);
  if (found) {
    const other = JSON.parse(found[1]);
    const time = unpack(other.time);
    return { name, time, curves: other.series.map((s) => ({ name: s.name, unit: s.unit, values: unpack(s.values) })), scene: other.scene };
  }
  const lines = text.split(/\r?\n/).filter((line) => line && !line.startsWith("#"));
  const head = csvFields(lines[0] ?? "").map((cell) => /^'?(.*?)(?: \[(.*)\])?$/.exec(cell));
  const rows = lines.slice(1).map((line) => csvFields(line).map((cell) => (cell === "" ? NaN : Number(cell))));
  if (head.length < 2 || !rows.length || rows.every((row) => !Number.isFinite(row[0]))) throw new Error("no times and values are in it");
  const column = (k) => Float64Array.from(rows, (row) => row[k] ?? NaN);
  return { name, time: column(0), curves: head.slice(1).map((cell, k) => ({ name: cell[1], unit: cell[2] ?? "", values: column(k + 1) })), scene: null };
}

/** Cells of a line of a table, quoted or not. */
function csvFields(line) {
  const cells = [];
  for (const [, quoted, plain] of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)) cells.push(quoted !== undefined ? quoted.replaceAll('""', '"') : plain);
  return cells;
}

/**
 * Values of a curve at other times, by straight lines between its samples; not a number outside of
 * them.
 */
function resample(time, values, wanted) {
  return Float64Array.from(wanted, (t) => {
    if (!(t >= time[0] && t <= time[time.length - 1])) return NaN;
    const i = indexAt(time, t);
    const j = Math.min(i + 1, time.length - 1);
    const part = j > i ? (t - time[i]) / (time[j] - time[i]) : 0;
    return values[i] + part * (values[j] - values[i]);
  });
}

/** Lays a run over this one; an earlier one makes room for it. */
function overlay(run, stage) {
  let matched = 0;
  for (const plot of plots.all) {
    if (plot.stack) continue;
    plot.curves = plot.curves.filter((c) => !c.other);
    const added = plot.curves.flatMap((curve, k) => {
      const twin = run.curves.find((c) => c.name === curve.name && (c.unit || "1") === (plot.unit || "1"));
      if (!twin) return [];
      const values = resample(run.time, twin.values, plot.time);
      return [{ name: `${curve.name} (${run.name})`, color: curve.color ?? k, other: true, values, plotted: plottable(values) }];
    });
    matched += added.length;
    if (!added.length) continue;
    plot.curves = [...plot.curves, ...added];
    if (plot.chart) drawPlot(plot, true);
  }
  if (stage && run.scene && run.scene.unit === report.scene.unit) addGhosts(stage, run.scene);
  return matched;
}

function removeOverlay(stage) {
  for (const plot of plots.all) {
    if (!plot.curves.some((c) => c.other)) continue;
    plot.curves = plot.curves.filter((c) => !c.other);
    if (plot.chart) drawPlot(plot, true);
  }
  if (stage) removeGhosts(stage);
}

function setUpComparison(stage) {
  const [input, said, clear] = ["compare", "compared", "compare-clear"].map(byId);
  input.addEventListener("change", async () => {
    const file = input.files[0];
    if (!file) return;
    try {
      const folders = file.webkitRelativePath || file.name;
      const matched = overlay(readRun(folders, await file.text()), stage);
      said.textContent = matched ? `Dashed: ${file.name}` : `${file.name} has no curve of the same name and unit.`;
      clear.hidden = !matched;
    } catch (error) {
      said.textContent = `${file.name} is neither a page nor a table of results: ${error.message}`;
    }
    input.value = "";
  });
  clear.addEventListener("click", () => {
    removeOverlay(stage);
    said.textContent = "";
    clear.hidden = true;
  });
}
