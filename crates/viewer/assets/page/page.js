// The page as a whole: sections, theme, and the one loop that lets time pass.

const sceneTimes = unpack(report.scene.times);
const plotTimes = unpack(report.time);
setUpPlayer(sceneTimes.length > 1 ? sceneTimes : plotTimes);
const hasPlots = setUpPlots();
const stage = setUpStage(report.scene);
setUpPairs();
setUpChapters(stage);
setUpSaving(stage);
setUpComparison(stage);
const hasScene = report.scene.bodies.length + report.scene.links.length + report.scene.traces.length > 0;
document.querySelector(".motion").classList.toggle("alone", !hasPlots && !report.chapters);

/** The same plots stand beside the motion and, larger, in their own section. */
function movePlots(section) {
  const home = document.querySelector(`[data-plots="${section}"]`);
  if (!home || (section === "motion" && !hasPlots)) return;
  home.append(byId("plot-list"));
  pairs.all.forEach(drawPair);
  if (section === "motion") {
    byId("filter").value = "";
    byId("filter").dispatchEvent(new Event("input"));
  }
  plots.all.forEach(fitPlot);
}

function showSection(name) {
  for (const tab of document.querySelectorAll("[role=tab]")) tab.setAttribute("aria-selected", tab.dataset.tab === name);
  for (const section of document.querySelectorAll("[data-section]")) section.hidden = section.dataset.section !== name;
  movePlots(name);
  plots.all.forEach((plot) => markNow(plot, true));
}

/** Follows the address: a section's name, or a line of the model text. */
function followAddress() {
  const name = location.hash.slice(1);
  const line = /^L\d+$/.test(name);
  const known = document.querySelector(`[data-section="${line ? "model" : CSS.escape(name)}"]`);
  showSection(known ? known.dataset.section : hasScene || !hasPlots ? "motion" : "plots");
  if (line) byId(name)?.scrollIntoView({ block: "center" });
}

for (const tab of document.querySelectorAll("[role=tab]")) {
  tab.addEventListener("click", () => {
    history.replaceState(null, "", `#${tab.dataset.tab}`);
    showSection(tab.dataset.tab);
  });
}
addEventListener("hashchange", followAddress);

function repaint() {
  for (const plot of plots.all) if (plot.chart) drawPlot(plot);
  stage?.repaint?.();
}
prefersDark.addEventListener("change", repaint);
byId("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  repaint();
});

/** What was understood and done is folded until somebody asks: the results come first. */
function showFacts(on) {
  byId("summary").hidden = !on;
  byId("facts").setAttribute("aria-expanded", on);
}
byId("facts").hidden = !byId("summary").children.length;
byId("facts").addEventListener("click", () => showFacts(byId("summary").hidden));
showFacts(false);

/**
 * The view fills what header and footer leave of the window, so that only the plots beside it
 * scroll.
 */
const below = document.querySelector("footer").offsetHeight;
const measure = () => document.documentElement.style.setProperty("--around", `${document.querySelector("header").offsetHeight + below}px`);
new ResizeObserver(measure).observe(document.querySelector("header"));
measure();
followAddress();

/**
 * The motion plays from the start, unless the reader's system asks for less motion or the reader
 * has been here before.
 */
if (!setUpKeeping(stage) && !matchMedia("(prefers-reduced-motion: reduce)").matches) player.toggle();

let before = performance.now();
function loop(now) {
  player.advance(Math.min(0.25, Math.max(0, (now - before) / 1000)));
  before = now;
  if (stage && stage.host.offsetParent) drawStage(stage);
  requestAnimationFrame(loop);
}
requestAnimationFrame(loop);
