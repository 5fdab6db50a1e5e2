// The view across a reload: what was chosen is found again, as long as the window is open.

const KEPT = `cardan ${location.pathname}`;

/** What was kept, or nothing: some browsers allow no memory to a file. */
function keptView() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT));
  } catch {
    return null;
  }
}

function keepView(stage) {
  const pressed = [...document.querySelectorAll("[data-show]")].map((b) => [b.dataset.show, b.getAttribute("aria-pressed") === "true"]);
  const hidden = plots.all.flatMap((p) => (p.chart ? p.curves.filter((_, k) => !p.chart.series[k + 1].show).map((c) => `${p.title}/${c.name}`) : []));
  const view = {
    section: location.hash,
    theme: document.documentElement.dataset.theme,
    time: player.time,
    playing: player.playing,
    speed: player.speed,
    loop: player.loop,
    chapter: report.chapters?.chosen,
    pairs: pairs.all.map(({ x, y }) => [x.name, y.name]),
    hidden,
    window: plots.window,
    pressed,
    stage: stage && {
      named: stage.view,
      camera: stage.camera.position.toArray(),
      target: stage.controls.target.toArray(),
      followed: stage.followed === null || stage.followed === "all" ? stage.followed : { body: report.scene.bodies[stage.followed].name },
    },
  };
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(view));
  } catch {
    // Without memory the page begins anew.
  }
}

/** Restores a kept view, as far as its parts are still there. */
function restoreView(view, stage) {
  if (view.theme) document.documentElement.dataset.theme = view.theme;
  if (view.speed > 0) {
    player.speed = view.speed;
    byId("speed").value = view.speed;
  }
  if (view.chapter !== undefined && view.chapter < (report.chapters?.chapters.length ?? 0)) report.chapters.choose(view.chapter);
  if (view.window && view.window.max <= player.last) plots.window = view.window;
  const curve = (name) => plots.all.flatMap((p) => p.curves.map((c) => ({ ...c, unit: p.unit, time: p.time }))).find((c) => c.name === name);
  for (const [x, y] of view.pairs ?? []) if (curve(x) && curve(y)) addPair(curve(x), curve(y));
  for (const plot of plots.all) plot.hidden = plot.curves.filter((c) => view.hidden?.includes(`${plot.title}/${c.name}`)).map((c) => c.name);
  if (stage && view.stage) restoreStage(view, stage);
  player.playing = Boolean(view.playing) && player.last > player.first;
  if (player.loop !== view.loop) byId("loop").click();
  player.seek(view.time ?? player.first);
}

function restoreStage(view, stage) {
  const { followed, named, camera, target } = view.stage;
  const body = followed?.body === undefined ? -1 : report.scene.bodies.findIndex((b) => b.name === followed.body);
  if (followed === null || followed === "all" || body >= 0) follow(stage, body >= 0 ? body : followed);
  for (const [name, on] of view.pressed) {
    const button = stage.host.querySelector(`[data-show="${CSS.escape(name)}"]`);
    if (button && (button.getAttribute("aria-pressed") === "true") !== on) button.click();
  }
  stage.view = named;
  if (named) return look(stage, named);
  stage.camera.position.set(...camera);
  stage.controls.target.set(...target);
  stage.controls.update();
}

function setUpKeeping(stage) {
  addEventListener("pagehide", () => keepView(stage));
  const view = keptView();
  if (view) restoreView(view, stage);
  return Boolean(view);
}
