// The 3D view: bodies, links, traces, ground, camera, names, and what is under the pointer.
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
  addLights(stage);
  addGround(stage);
  addBodies(stage);
  addLinks(stage);
  addTraces(stage);
  addCorner(stage);
  setUpView(stage);
  setUpPointer(stage);

  new ResizeObserver(() => resize(stage)).observe(host);
  controls.addEventListener("change", () => (stage.dirty = true));
  controls.addEventListener("start", () => (stage.view = null));
  resize(stage);
  player.onChange(() => pose(stage, player.time));
  return stage;
}

/** Middle, corners and size of the box of the whole motion; a unit cube if there is none. */
function wholeBox(bounds) {
  const low = new V.Vector3(...(bounds?.low ?? [-0.5, -0.5, -0.5]));
  const high = new V.Vector3(...(bounds?.high ?? [0.5, 0.5, 0.5]));
  const size = Math.max(low.distanceTo(high), 1e-6);
  return { low, high, size, middle: low.clone().add(high).multiplyScalar(0.5) };
}

function addLights({ world, camera, basis, box }) {
  const sky = new V.HemisphereLight("#ffffff", "#aab2c2", 1.6);
  sky.position.copy(basis.u);
  const sun = new V.DirectionalLight("#ffffff", 1.7);
  sun.position
    .copy(box.middle)
    .addScaledVector(basis.u, 1.6 * box.size)
    .addScaledVector(basis.right, 0.7 * box.size)
    .addScaledVector(basis.front, 0.9 * box.size);
  sun.target.position.copy(box.middle);
  sun.castShadow = true;
  sun.shadow.mapSize.set(2048, 2048);
  sun.shadow.normalBias = 0.002 * box.size;
  sun.shadow.radius = 4;
  Object.assign(sun.shadow.camera, { left: -box.size, right: box.size, top: box.size, bottom: -box.size, near: 0.05 * box.size, far: 5 * box.size });
  const lamp = new V.DirectionalLight("#ffffff", 0.9);
  camera.add(lamp);
  world.add(sky, sun, sun.target, camera);
}

/** A grid with round cells below the motion (or at the given height), and a floor that takes shadows. */
function addGround(stage) {
  const { data, basis, box, world } = stage;
  stage.ground = new V.Group();
  world.add(stage.ground);
  if (!data.ground) return;
  const heights = corners(box).map((corner) => corner.dot(basis.u));
  const height = data.groundHeight ?? Math.min(...heights) - 0.01 * box.size;
  const decade = 10 ** Math.floor(Math.log10(box.size / 4));
  const cell = decade * ([5, 2].find((factor) => factor * decade <= box.size / 4) ?? 1);
  const cells = 2 * Math.ceil((1.6 * box.size) / cell);
  const middle = box.middle.clone().addScaledVector(basis.u, height - box.middle.dot(basis.u));
  for (const axis of [basis.right, basis.front]) {
    const along = middle.dot(axis);
    middle.addScaledVector(axis, Math.round(along / cell) * cell - along);
  }
  const turn = new V.Quaternion().setFromUnitVectors(new V.Vector3(0, 1, 0), basis.u);
  const floor = new V.Mesh(new V.PlaneGeometry(cells * cell, cells * cell).rotateX(-RIGHT_ANGLE), new V.ShadowMaterial({ depthWrite: false }));
  floor.position.copy(middle).addScaledVector(basis.u, -0.001 * box.size);
  floor.quaternion.copy(turn);
  floor.receiveShadow = true;
  stage.ground.add(floor);
  const paint = () => {
    stage.grid?.removeFromParent();
    stage.grid = new V.GridHelper(cells * cell, cells, themeColor("grid-strong"), themeColor("grid"));
    Object.assign(stage.grid.material, { transparent: true, opacity: 0.55, depthWrite: false });
    stage.grid.position.copy(middle);
    stage.grid.quaternion.copy(turn);
    stage.ground.add(stage.grid);
    floor.material.opacity = isDark() ? 0.5 : 0.16;
    stage.dirty = true;
  };
  paint();
  stage.repaint = paint;
}

/** Radius in pixels of the dot that is drawn for a body that would be smaller. */
const DOT = 6;

/** A dot around the middle of a body's shapes, and how far these reach from there; no dot without shapes. */
function bodyDot(group, color) {
  const balls = group.children.filter((part) => part.geometry).map((part) => {
    part.geometry.computeBoundingSphere();
    const { center, radius } = part.geometry.boundingSphere;
    return { center: center.clone().applyQuaternion(part.quaternion).add(part.position), radius };
  });
  if (!balls.length) return { dot: null, reach: 0 };
  const middle = new V.Vector3();
  for (const { center } of balls) middle.addScaledVector(center, 1 / balls.length);
  const reach = Math.max(...balls.map(({ center, radius }) => center.distanceTo(middle) + radius));
  const dot = new V.Mesh(new V.SphereGeometry(1, 20, 14), new V.MeshStandardMaterial({ color, roughness: 0.55, metalness: 0.08 }));
  dot.position.copy(middle);
  dot.visible = false;
  group.add(dot);
  return { dot, reach };
}

/** Draws dots for bodies that are too small to be seen, of constant size on the screen. */
function sizeDots(stage) {
  const { camera, height, host } = stage;
  const perDepth = (2 * Math.tan((camera.fov * Math.PI) / 360)) / height;
  const direction = camera.getWorldDirection(new V.Vector3());
  const place = new V.Vector3();
  let drawn = 0;
  for (const { group, dot, reach } of stage.bodies) {
    if (!dot) continue;
    group.updateMatrixWorld();
    const radius = DOT * perDepth * group.localToWorld(place.copy(dot.position)).sub(camera.position).dot(direction);
    dot.visible = reach < radius;
    if (!dot.visible) continue;
    dot.scale.setScalar(radius);
    drawn += group.visible ? 1 : 0;
  }
  host.dataset.dots = drawn;
}

/** The longest state of an arrow has at least this many pixels. */
const ARROW = 64;

/**
 * Stretches arrows. Their lengths are to the scale of the mechanism; where that is small against the view, as in an orbit, they keep a size on the
 * screen, and their proportions over time.
 */
function sizeArrows(stage) {
  const { camera, height, host } = stage;
  const perDepth = (2 * Math.tan((camera.fov * Math.PI) / 360)) / height;
  const direction = camera.getWorldDirection(new V.Vector3());
  const place = new V.Vector3();
  let enlarged = 0;
  for (const { group, isArrow, longest, length } of stage.links) {
    if (!isArrow || !group.visible) continue;
    const depth = Math.max(place.copy(group.position).sub(camera.position).dot(direction), camera.near);
    const least = ARROW * perDepth * depth;
    if (longest < least) enlarged++;
    group.stretch(length * Math.max(1, least / longest));
  }
  host.dataset.arrows = enlarged;
}

function addBodies(stage) {
  const labels = byId("labels");
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

/** Each path twice: faint as a whole, strong up to the present time. */
function addTraces(stage) {
  stage.traceGroup = new V.Group();
  stage.world.add(stage.traceGroup);
  stage.traces = [];
  stage.data.traces.forEach((trace, k) => {
    const points = unpack(trace.points);
    if (points.length < 6 || !points.every(Number.isFinite)) return;
    const color = /^#[0-9a-fA-F]{6}$/.test(trace.color) ? trace.color : BODY_COLORS[(k + 1) % BODY_COLORS.length];
    const whole = fatLine(points, color, 1.5, 0.3);
    const past = fatLine(points, color, 2.5);
    stage.traceGroup.add(whole, past);
    stage.traces.push({ past, count: points.length / 3 });
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
  const [p, q, turn] = [new V.Vector3(), new V.Quaternion(), new V.Quaternion()];
  const along = new V.Vector3(0, 0, 1);
  for (const body of stage.bodies) {
    const known = between(body.positions, i, j, part, body.group.position);
    const n = body.quaternions.length / 4;
    const set = (into, k) => into.set(body.quaternions[4 * k + 1], body.quaternions[4 * k + 2], body.quaternions[4 * k + 3], body.quaternions[4 * k]).normalize();
    if (n > 0) body.group.quaternion.slerpQuaternions(set(q, Math.min(i, n - 1)), set(turn, Math.min(j, n - 1)), part);
    body.group.visible = known && Number.isFinite(body.group.quaternion.w);
  }
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
  for (const { past, count } of stage.traces) {
    past.geometry.instanceCount = Math.min(count - 1, i);
    past.visible = i > 0;
  }
  if (stage.followed !== null) {
    const target = stage.bodies[stage.followed].group.position;
    stage.camera.position.add(target).sub(stage.controls.target);
    stage.controls.target.copy(target);
  }
  stage.dirty = true;
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

/** Turns the camera to a named view that frames the whole motion below the buttons. */
function look(stage, view) {
  const { basis, box, camera, controls, host } = stage;
  const direction = viewDirection(stage, view);
  const right = basis.u.clone().cross(direction).normalize();
  const above = direction.clone().cross(right);
  const tall = Math.tan((camera.fov * Math.PI) / 360);
  const buttons = Math.min(0.5, (host.querySelector(".tools.right").offsetHeight + 14) / Math.max(host.clientHeight, 1));
  const room = { wide: 0.94, tall: 0.94 - buttons, lift: -buttons };
  const target = box.middle.clone();
  let distance = box.size / tall;
  for (let round = 0; round < 8; round++) {
    const seen = corners(box).map((corner) => {
      corner.sub(target);
      const depth = tall * Math.max(distance - corner.dot(direction), 0.05 * distance);
      return [corner.dot(right) / (depth * camera.aspect), corner.dot(above) / depth];
    });
    const [xs, ys] = [0, 1].map((k) => seen.map((point) => point[k]));
    const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    target.addScaledVector(right, ((x0 + x1) / 2) * distance * tall * camera.aspect);
    target.addScaledVector(above, ((y0 + y1) / 2 - room.lift) * distance * tall);
    distance *= Math.max((x1 - x0) / 2 / room.wide, (y1 - y0) / 2 / room.tall, 0.2);
  }
  controls.target.copy(target);
  camera.position.copy(target).addScaledVector(direction, distance);
  controls.update();
  stage.dirty = true;
}

const corners = ({ low, high }) =>
  Array.from({ length: 8 }, (_, k) => new V.Vector3(k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z));

/** Unit vector from the motion to the reader. At the start a flat motion is seen nearly face on. */
function viewDirection({ basis, box, camera, controls }, view) {
  const { u, right, front } = basis;
  const mix = (a, b, c) => new V.Vector3().addScaledVector(right, a).addScaledVector(front, b).addScaledVector(u, c).normalize();
  const span = (axis) => Math.abs(box.high.clone().sub(box.low).dot(axis));
  const [wide, deep, tall] = [span(right), span(front), span(u)];
  switch (view) {
    case "fit":
      return camera.position.clone().sub(controls.target).normalize();
    case "front":
      return mix(0, 1, 0.0001);
    case "side":
      return mix(1, 0, 0.0001);
    case "top":
      return mix(0, 0.0001, 1);
    case "start":
      if (deep < 0.35 * Math.max(wide, tall)) return mix(0.38, 1, 0.24);
      if (wide < 0.35 * Math.max(deep, tall)) return mix(1, 0.38, 0.24);
      if (tall < 0.1 * Math.max(deep, wide)) return mix(0.25, 0.8, 1);
      return mix(0.75, 1, 0.55);
    default:
      return mix(0.75, 1, 0.55);
  }
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
    stage.followed = event.target.value === "" ? null : Number(event.target.value);
    pose(stage, player.time);
  });
  addEventListener("keydown", (event) => {
    if (event.target.closest("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "f") look(stage, "fit");
    const button = { l: "labels", t: "traces", g: "ground" }[event.key];
    if (button) toggle(stage.host.querySelector(`[data-show="${button}"]`));
  });
}

/** Shows name and description of what is under the pointer, and lights it up. */
function setUpPointer(stage) {
  const tip = byId("tip");
  const canvas = stage.renderer.domElement;
  const ray = new V.Raycaster();
  let lit = [];
  const light = (group) => {
    lit.forEach((material) => material.emissive.set(0));
    lit = [];
    group?.traverse((part) => part.material?.emissive && lit.push(part.material));
    lit.forEach((material) => material.emissive.set("#1c2f55"));
    stage.dirty = true;
  };
  let held = null;
  const leave = () => {
    tip.hidden = true;
    if (held) light(null);
    held = null;
  };
  canvas.addEventListener("pointerleave", leave);
  canvas.addEventListener("pointermove", (event) => {
    if (event.buttons) return leave();
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    ray.setFromCamera(new V.Vector2((2 * x) / width - 1, 1 - (2 * y) / height), stage.camera);
    const groups = [...stage.bodies, ...stage.links.filter((link) => link.isRod || stage.linkGroup.visible)].map((b) => b.group).filter((g) => g.visible);
    const meshes = groups.flatMap((g) => g.children.filter((c) => c.isMesh && !c.isLine2 && c.visible));
    const hit = ray.intersectObjects(meshes, false)[0];
    if (!hit) return leave();
    if (held !== hit.object.parent) {
      held = hit.object.parent;
      light(held);
      const { name, description } = hit.object.userData.owner;
      tip.replaceChildren(name, ...(description ? [element("small", "", description)] : []));
      tip.hidden = false;
    }
    tip.style.left = `${Math.min(x + 14, width - tip.offsetWidth - 6)}px`;
    tip.style.top = `${Math.min(y + 14, height - tip.offsetHeight - 6)}px`;
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
