// The 3D view: bodies, links, traces and names.
// It is drawn only when something changed.

/** The basis of the view: up from the data, right along x (or y if up is x), front towards the reader. */
function viewBasis(up) {
  const u = new V.Vector3(...up).normalize();
  const x = Math.abs(u.x) > 0.9 ? new V.Vector3(0, 1, 0) : new V.Vector3(1, 0, 0);
  const right = x.addScaledVector(u, -x.dot(u)).normalize();
  return { u, right, front: right.clone().cross(u) };
}

/** Whether this browser can draw in 3D, asked without leaving an error in the console. */
function canDraw() {
  try {
    return Boolean(document.createElement("canvas").getContext("webgl2"));
  } catch {
    return false;
  }
}

/** Builds the view into its element; returns what the page needs of it, or null where it cannot be drawn. */
function setUpStage(data) {
  const host = byId("stage");
  const explain = (text) => {
    byId("stage-note").textContent = text;
    byId("stage-note").hidden = false;
    host.querySelectorAll(".tools").forEach((tool) => (tool.hidden = true));
    return null;
  };
  if (!data.bodies.length && !data.links.length && !data.traces.length) return explain("This report has no bodies to show.");
  if (!canDraw()) return explain("This browser offers no 3D drawing (WebGL 2). Everything else on this page works.");

  const basis = viewBasis(data.up);
  const box = wholeBox(data.bounds);
  const world = new V.Scene();
  const renderer = new V.WebGLRenderer({ antialias: true, alpha: true });
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
  renderer.shadowMap.enabled = data.bodies.length <= 60;
  renderer.shadowMap.type = V.PCFShadowMap;
  renderer.autoClear = false;
  host.prepend(renderer.domElement);

  const camera = new V.PerspectiveCamera(32, 1, box.size / 500, box.size * 200);
  camera.up.copy(basis.u);
  const controls = new V.OrbitControls(camera, renderer.domElement);
  controls.enableDamping = true;
  controls.dampingFactor = 0.12;
  controls.minDistance = box.size / 50;
  controls.maxDistance = box.size * 40;

  const stage = { host, world, renderer, camera, controls, basis, box, data, dirty: true, followed: null, view: "start" };
  stage.times = unpack(data.times);
  addBodies(stage);
  stage.travel = travelOf(stage);
  addLights(stage);
  addGround(stage);
  addLinks(stage);
  addTraces(stage);
  addCorner(stage);
  setUpView(stage);
  setUpPointer(stage);

  new ResizeObserver(() => resize(stage)).observe(host);
  controls.addEventListener("change", () => (stage.dirty = true));
  controls.addEventListener("start", () => (stage.view = null));
  player.onChange(() => pose(stage, player.time));
  if (stage.travel.travels) follow(stage, "all");
  resize(stage);
  return stage;
}

function addBodies(stage) {
  const labels = byId("labels");
  if (stage.data.bodies.length > 1) byId("follow").append(element("option", "", "the mechanism", { value: "all" }));
  stage.bodies = stage.data.bodies.map((body, k) => {
    const group = new V.Group();
    const color = BODY_COLORS[k % BODY_COLORS.length];
    for (const shape of body.shapes) group.add(shapeObject(shape, color));
    const { dot, reach } = bodyDot(group, body.shapes.length ? shapeColor(body.shapes[0], color) : color);
    const label = element("span", "", body.name);
    label.hidden = true;
    labels.append(label);
    stage.world.add(group);
    group.traverse((part) => (part.userData.owner = body));
    byId("follow").append(element("option", "", body.name, { value: k }));
    return { group, dot, reach, label, positions: unpack(body.positions), quaternions: unpack(body.quaternions) };
  });
}

/** Axes of every body and of the inertial frame, made when first asked for. */
function showFrames(stage, on) {
  stage.frames ??= [stage.world, ...stage.bodies.map((body) => body.group)].map((home, k) => {
    const axes = k === 0 ? triad(0.14 * stage.box.size, 0.003 * stage.box.size) : triad(0.12 * stage.box.size, 0.0022 * stage.box.size);
    home.add(axes);
    return axes;
  });
  for (const axes of stage.frames) axes.visible = on;
}

function addLinks(stage) {
  stage.linkGroup = new V.Group();
  stage.world.add(stage.linkGroup);
  stage.links = stage.data.links.map((link) => {
    const [from, to] = [unpack(link.from), unpack(link.to)];
    const isArrow = link.kind === "force" || link.kind === "torque";
    // A short spring or rod in a long motion is slim against its own length, not against the motion.
    const group = linkObject(link, isArrow ? stage.box.size : Math.min(stage.box.size, 5 * longest(from, to) || Infinity));
    group.traverse((part) => (part.userData.owner = link));
    // Rods are part of the mechanism: they stay when forces are switched off.
    const isRod = link.kind === "line";
    (isRod ? stage.world : stage.linkGroup).add(group);
    return { group, isRod, isArrow, from, to, longest: isArrow ? longest([0, 0, 0], to) : 0, length: 0 };
  });
}

/** The longest distance between two tracks, of which the shorter holds its last place. */
function longest(from, to) {
  let most = 0;
  for (let k = 0; k < Math.max(from.length, to.length); k += 3) {
    const at = (track, i) => track[Math.min(k, track.length - 3) + i];
    const length = Math.hypot(...[0, 1, 2].map((i) => at(to, i) - at(from, i)));
    if (length > most) most = length;
  }
  return most;
}

/** Each path twice: faint as a whole, strong up to the present time; of a chosen part of the time, its own piece alone. */
function addTraces(stage) {
  stage.traceGroup = new V.Group();
  stage.world.add(stage.traceGroup);
  drawTraces(stage, -Infinity, Infinity);
}

function drawTraces(stage, from, to) {
  stage.traceGroup.clear();
  stage.traces = [];
  const inside = stage.times.reduce((kept, t, k) => (t >= from - 1e-9 && t <= to + 1e-9 ? [kept[0] ?? k, k + 1] : kept), []);
  stage.data.traces.forEach((trace, k) => {
    const points = unpack(trace.points).subarray(3 * (inside[0] ?? 0), 3 * (inside[1] ?? 0));
    if (points.length < 6 || !points.every(Number.isFinite)) return;
    const color = hexColor(trace.color) ?? BODY_COLORS[(k + 1) % BODY_COLORS.length];
    const whole = fatLine(points, color, 1.5, 0.3);
    const past = fatLine(points, color, 2.5);
    stage.traceGroup.add(whole, past);
    stage.traces.push({ past, first: inside[0] ?? 0, count: points.length / 3 });
  });
}

/** The axes of the inertial frame in the lower left corner, turning with the camera. */
function addCorner(stage) {
  const scene = new V.Scene();
  scene.add(triad(1, 0.035));
  const camera = new V.OrthographicCamera(-1.5, 1.5, 1.5, -1.5, 0, 10);
  camera.up.copy(stage.basis.u);
  const names = ["x", "y", "z"].map((name) => {
    const label = element("span", "axis", name);
    byId("labels").append(label);
    return label;
  });
  stage.corner = { scene, camera, names, size: 84 };
}

/** Sets every body and link to time `t`, between two frames. */
function pose(stage, t) {
  const { times } = stage;
  const i = indexAt(times, t);
  const j = Math.min(i + 1, times.length - 1);
  const part = j > i ? Math.min(1, Math.max(0, (t - times[i]) / (times[j] - times[i]))) : 0;
  const p = new V.Vector3();
  const along = new V.Vector3(0, 0, 1);
  for (const body of stage.bodies) poseBody(body, i, j, part);
  for (const link of stage.links) {
    const known = between(link.from, i, j, part, link.group.position) && between(link.to, i, j, part, p);
    // An arrow comes with the way to its tip, everything else with its other end.
    const length = (link.isArrow ? p : p.sub(link.group.position)).length();
    link.group.visible = known && length > (link.isArrow ? 1e-6 * link.longest : 1e-9 * stage.box.size);
    if (!link.group.visible) continue;
    link.group.quaternion.setFromUnitVectors(along, p.divideScalar(length));
    link.length = length;
    if (!link.isArrow) link.group.stretch(length);
  }
  for (const { past, first, count } of stage.traces) {
    past.geometry.instanceCount = Math.min(count - 1, i - first);
    past.visible = i > first;
  }
  poseGhosts(stage, t);
  stage.shownPart?.();
  if (stage.followed !== null) moveAlong(stage);
  stage.dirty = true;
}

/** Sets a body between frames i and j. */
function poseBody({ group, positions, quaternions }, i, j, part) {
  const known = between(positions, i, j, part, group.position);
  const n = quaternions.length / 4;
  const at = (k) => new V.Quaternion(quaternions[4 * k + 1], quaternions[4 * k + 2], quaternions[4 * k + 3], quaternions[4 * k]).normalize();
  if (n > 0) group.quaternion.slerpQuaternions(at(Math.min(i, n - 1)), at(Math.min(j, n - 1)), part);
  group.visible = known && Number.isFinite(group.quaternion.w);
}

/** The bodies of another run, translucent. */
function addGhosts(stage, scene) {
  removeGhosts(stage);
  const bodies = scene.bodies.map((body) => {
    const group = new V.Group();
    for (const shape of body.shapes) group.add(shapeObject({ ...shape, opacity: 0.3 * shape.opacity }, "#8a93a3"));
    stage.world.add(group);
    return { group, positions: unpack(body.positions), quaternions: unpack(body.quaternions) };
  });
  stage.ghosts = { times: unpack(scene.times), bodies };
  pose(stage, player.time);
}

function removeGhosts(stage) {
  stage.ghosts?.bodies.forEach(({ group }) => group.removeFromParent());
  stage.ghosts = null;
  stage.dirty = true;
}

function poseGhosts(stage, t) {
  if (!stage.ghosts) return;
  const { times, bodies } = stage.ghosts;
  const i = indexAt(times, t);
  const j = Math.min(i + 1, times.length - 1);
  const part = j > i ? Math.min(1, Math.max(0, (t - times[i]) / (times[j] - times[i]))) : 0;
  for (const body of bodies) poseBody(body, i, j, part);
}

/** Puts the point between frames i and j of a track into `into`; false if it is not finite. */
function between(track, i, j, part, into) {
  const last = track.length / 3 - 1;
  if (last < 0) return true;
  const [a, b] = [3 * Math.min(i, last), 3 * Math.min(j, last)];
  into.set(
    track[a] + part * (track[b] - track[a]),
    track[a + 1] + part * (track[b + 1] - track[a + 1]),
    track[a + 2] + part * (track[b + 2] - track[a + 2]),
  );
  return Number.isFinite(into.x + into.y + into.z);
}

/** Connects the buttons above the view. */
function setUpView(stage) {
  const visible = {
    labels: (on) => (stage.showLabels = on),
    traces: (on) => (stage.traceGroup.visible = on),
    links: (on) => (stage.linkGroup.visible = on),
    ground: (on) => (stage.ground.visible = on),
    frames: (on) => showFrames(stage, on),
  };
  const toggle = (button) => {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", on);
    visible[button.dataset.show](on);
    stage.dirty = true;
  };
  const useful = { traces: stage.traces.length, links: stage.links.some((link) => !link.isRod), ground: stage.data.ground, labels: stage.bodies.length, frames: stage.bodies.length };
  for (const button of stage.host.querySelectorAll("[data-show]")) {
    button.hidden = !useful[button.dataset.show];
    button.addEventListener("click", () => toggle(button));
  }
  for (const button of stage.host.querySelectorAll("[data-view]")) {
    button.addEventListener("click", () => {
      if (button.dataset.view !== "fit") stage.view = button.dataset.view;
      look(stage, button.dataset.view);
    });
  }
  byId("follow").addEventListener("change", (event) => {
    const { value } = event.target;
    follow(stage, value === "" || value === "all" ? value || null : Number(value));
    if (value === "all" || value === "") look(stage, "fit");
    pose(stage, player.time);
  });
  addEventListener("keydown", (event) => {
    if (event.target.closest("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "f") look(stage, "fit");
    const button = { l: "labels", t: "traces", g: "ground" }[event.key];
    if (button) toggle(stage.host.querySelector(`[data-show="${button}"]`));
  });
}

function resize(stage) {
  const { clientWidth: width, clientHeight: height } = stage.host;
  if (!width || !height) return;
  Object.assign(stage, { width, height });
  stage.renderer.setSize(width, height, false);
  stage.camera.aspect = width / height;
  stage.camera.updateProjectionMatrix();
  stage.dirty = true;
  if (stage.view) look(stage, stage.view);
}

/** Draws if something changed since the last time. */
function drawStage(stage) {
  stage.controls.update();
  if (!stage.dirty || !stage.width) return;
  stage.dirty = false;
  const distance = stage.camera.position.distanceTo(stage.controls.target);
  Object.assign(stage.camera, { near: distance / 200, far: 200 * distance + 4 * stage.box.size });
  stage.camera.updateProjectionMatrix();
  const { renderer, width, height, corner } = stage;
  sizeDots(stage);
  sizeArrows(stage);
  renderer.setViewport(0, 0, width, height);
  renderer.clear();
  renderer.render(stage.world, stage.camera);

  corner.camera.position.copy(stage.camera.position).sub(stage.controls.target).normalize().multiplyScalar(5);
  corner.camera.lookAt(0, 0, 0);
  renderer.setViewport(4, 4, corner.size, corner.size);
  renderer.clearDepth();
  renderer.render(corner.scene, corner.camera);
  placeLabels(stage);
}

function placeLabels(stage) {
  const { width, height, corner } = stage;
  const point = new V.Vector3();
  corner.names.forEach((label, k) => {
    point.setComponent(0, k === 0 ? 1.25 : 0).setComponent(1, k === 1 ? 1.25 : 0).setComponent(2, k === 2 ? 1.25 : 0).project(corner.camera);
    const x = 4 + ((point.x + 1) / 2) * corner.size;
    const y = height - 4 - ((point.y + 1) / 2) * corner.size;
    label.style.transform = `translate(${x}px, ${y}px) translate(-50%, -50%)`;
  });
  for (const { group, label } of stage.bodies) {
    point.copy(group.position).project(stage.camera);
    label.hidden = !stage.showLabels || !group.visible || point.z > 1;
    if (label.hidden) continue;
    label.style.transform = `translate(${((point.x + 1) / 2) * width + 9}px, ${((1 - point.y) / 2) * height - 22}px)`;
  }
}
