// Files to keep: pictures (PNG, SVG), numbers (CSV), and the frames of a film (PNG files in one
// ZIP).

/** Offers a blob as a download. */
function saveFile(name, blob) {
  const link = element("a", "", "", { download: name, href: URL.createObjectURL(blob) });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** A name of a file from any text. */
const fileName = (text, ending) => `${text.replace(/[^A-Za-z0-9_.-]+/g, "_").slice(0, 60) || "figure"}.${ending}`;

const saveText = (name, type, text) => saveFile(name, new Blob([text], { type }));

/** A cell of a table: a leading sign that a spreadsheet would take for a formula is a text. */
function csvCell(text) {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Columns with their names and units as rows of text. */
function csvText(columns) {
  const head = columns.map(({ name, unit }) => csvCell(unit ? `${name} [${unit}]` : name));
  const n = Math.max(...columns.map((c) => c.values.length));
  const rows = Array.from({ length: n }, (_, i) => columns.map((c) => (Number.isFinite(c.values[i]) ? String(c.values[i]) : "")).join(","));
  return `${[head.join(","), ...rows].join("\n")}\n`;
}

/** A drawing as pixels, at twice its size. */
async function pixelsOf(root) {
  const [width, height] = ["width", "height"].map((side) => 2 * Number(root.getAttribute(side)));
  const image = new Image();
  const address = URL.createObjectURL(new Blob([svgText(root)], { type: "image/svg+xml" }));
  await new Promise((done, failed) => Object.assign(image, { onload: done, onerror: failed, src: address }));
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  canvas.getContext("2d").drawImage(image, 0, 0, width, height);
  URL.revokeObjectURL(address);
  return new Promise((done) => canvas.toBlob(done));
}

/**
 * A plot over time as a drawing, as it is shown: its window of time and the curves that are
 * switched on.
 */
function plotDrawing(plot) {
  const shown = plot.curves.filter((_, k) => plot.chart?.series[k + 1]?.show ?? true);
  const [from, to] = plots.window ? [plots.window.min, plots.window.max] : [plot.time[0], plot.time[plot.time.length - 1]];
  const kept = (values) => values.filter((_, i) => plot.time[i] >= from && plot.time[i] <= to);
  const legend = 18 * Math.ceil(shown.length / 4);
  const y = { label: plot.title, unit: plot.unit, range: rangeOf(shown.map((c) => kept(c.values)), 0.06) };
  const drawing = chart({ width: 720, height: 400, x: { label: "t", unit: "s", range: [from, to] }, y });
  const clip = `clip-${plots.all.indexOf(plot)}`;
  const frame = svgElement("clipPath", { id: clip });
  frame.append(svgElement("rect", { x: drawing.box.left, y: 0, width: drawing.box.right - drawing.box.left, height: 400 }));
  drawing.root.append(frame);
  drawing.inside.setAttribute("clip-path", `url(#${clip})`);
  drawing.root.setAttribute("viewBox", `0 0 720 ${400 + legend}`);
  drawing.root.setAttribute("height", 400 + legend);
  shown.forEach((curve, k) => {
    const color = `var(--c${(curve.color ?? plot.curves.indexOf(curve)) % COLORS})`;
    drawing.inside.append(curveOf(curvePath(plot.time, curve.values, drawing.px, drawing.py), color));
    const [x, row] = [drawing.box.left + (k % 4) * 160, 400 + 18 * Math.floor(k / 4) + 8];
    drawing.root.append(curveOf(`M${x} ${row}h16`, color, { "stroke-width": 2.5 }));
    drawing.root.append(svgElement("text", { x: x + 21, y: row + 4, fill: "var(--ink)" }, curve.name));
  });
  return drawing.root;
}

/** Small buttons that save what a card shows. */
function saveButtons({ title, drawing, columns }) {
  const group = element("span", "save", undefined, { role: "group", "aria-label": "Save" });
  const button = (word, hint, act) => {
    const made = element("button", "", word, { type: "button", title: hint, "data-save": word.toLowerCase() });
    made.addEventListener("click", act);
    group.append(made);
  };
  button("SVG", "Save this plot as a drawing", () => saveText(fileName(title, "svg"), "image/svg+xml", svgText(drawing())));
  button("PNG", "Save this plot as a picture", async () => saveFile(fileName(title, "png"), await pixelsOf(drawing())));
  button("CSV", "Save these numbers as a table", () => saveText(fileName(title, "csv"), "text/csv", csvText(columns())));
  return group;
}

/** All curves of the page as one table. */
function saveAllCurves(title) {
  const time = { name: "t", unit: "s", values: unpack(report.time) };
  const curves = report.series.map((s) => ({ name: s.name, unit: s.unit, values: unpack(s.values) }));
  saveText(fileName(title, "csv"), "text/csv", csvText([time, ...curves]));
}

/** The view as it is now. */
function viewPixels(stage) {
  stage.dirty = true;
  drawStage(stage, true);
  return new Promise((done) => stage.renderer.domElement.toBlob(done));
}

const FRAMES_PER_SECOND = 30;
const MOST_FRAMES = 1800;

/**
 * The whole motion at the chosen speed, picture by picture, in one ZIP: `ffmpeg -i frame-%05d.png
 * film.mp4` makes a film of it.
 */
async function saveFrames(stage, title, progress) {
  const wanted = Math.round(((player.last - player.first) / player.speed) * FRAMES_PER_SECOND);
  const count = Math.max(2, Math.min(MOST_FRAMES, wanted));
  const [playing, time] = [player.playing, player.time];
  player.playing = false;
  const files = [];
  for (let k = 0; k < count; k++) {
    player.seek(player.first + ((player.last - player.first) * k) / (count - 1));
    const picture = await viewPixels(stage);
    files.push({ name: `frame-${String(k + 1).padStart(5, "0")}.png`, bytes: new Uint8Array(await picture.arrayBuffer()) });
    progress(`${k + 1} of ${count}`);
  }
  player.playing = playing;
  player.seek(time);
  saveFile(fileName(`${title}-frames`, "zip"), new Blob(zipParts(files), { type: "application/zip" }));
}

const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

const crc32 = (bytes) => (bytes.reduce((c, b) => CRC[(c ^ b) & 255] ^ (c >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0;

/**
 * Files as the parts of a ZIP archive without compression (APPNOTE 6.3.10, sections 4.3.7, 4.3.12
 * and 4.3.16).
 */
function zipParts(files) {
  const record = (...fields) => {
    const bytes = new DataView(new ArrayBuffer(fields.reduce((n, [size]) => n + size, 0)));
    let at = 0;
    for (const [size, value] of fields) {
      if (size === 2) bytes.setUint16(at, value, true);
      else bytes.setUint32(at, value, true);
      at += size;
    }
    return new Uint8Array(bytes.buffer);
  };
  const DATE = ((2000 - 1980) << 9) | (1 << 5) | 1;
  const [body, directory] = [[], []];
  let offset = 0;
  for (const { name, bytes } of files) {
    const title = new TextEncoder().encode(name);
    const common = [[2, 20], [2, 0], [2, 0], [2, 0], [2, DATE], [4, crc32(bytes)], [4, bytes.length], [4, bytes.length], [2, title.length], [2, 0]];
    body.push(record([4, 0x04034b50], ...common), title, bytes);
    directory.push(record([4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), title);
    offset += 30 + title.length + bytes.length;
  }
  const size = directory.reduce((n, part) => n + part.length, 0);
  return [...body, ...directory, record([4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, size], [4, offset], [2, 0])];
}

/** Connects the menu beside the player. */
function setUpSaving(stage) {
  const title = document.title;
  const menu = byId("save");
  const act = (name, work) => byId(name).addEventListener("click", async () => {
    menu.removeAttribute("open");
    await work();
  });
  byId("save-picture").hidden = byId("save-frames").hidden = !stage;
  byId("save-frames").disabled = player.last <= player.first;
  byId("save-curves").disabled = !report.series.length;
  menu.hidden = !stage && !report.series.length;
  act("save-picture", async () => saveFile(fileName(title, "png"), await viewPixels(stage)));
  act("save-curves", () => saveAllCurves(title));
  act("save-frames", async () => {
    const word = menu.querySelector("summary");
    await saveFrames(stage, title, (text) => (word.textContent = text));
    word.textContent = "Save";
  });
}
