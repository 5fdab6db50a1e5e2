// The camera: what it frames, from where, and what it follows.

/** Middle, corners and size of the box of the whole motion; a unit cube if there is none. */
function wholeBox(bounds) {
  const low = new V.Vector3(...(bounds?.low ?? [-0.5, -0.5, -0.5]));
  const high = new V.Vector3(...(bounds?.high ?? [0.5, 0.5, 0.5]));
  return boxBetween(low, high);
}

function boxBetween(low, high) {
  const size = Math.max(low.distanceTo(high), 1e-6);
  return { low, high, size, middle: low.clone().add(high).multiplyScalar(0.5) };
}

/**
 * A motion travels if the middle of its bodies goes farther than this many times their own extent.
 */
const TRAVELS = 2;

/** The middle of the bodies that move, at a frame. */
function middleAt(moving, i, into) {
  into.set(0, 0, 0);
  for (const { positions } of moving) {
    const k = 3 * Math.min(i, positions.length / 3 - 1);
    into.x += positions[k] / moving.length;
    into.y += positions[k + 1] / moving.length;
    into.z += positions[k + 2] / moving.length;
  }
  return into;
}

/**
 * The bodies that move, the box that holds them around their own middle at all times, and whether
 * that middle travels. Bodies that rest, such as a road, do not count.
 */
function travelOf(stage) {
  const moving = stage.bodies.filter(({ positions }) => positions.length > 3);
  const [low, high] = [new V.Vector3(Infinity, Infinity, Infinity), new V.Vector3(-Infinity, -Infinity, -Infinity)];
  const [first, last] = [low.clone(), high.clone()];
  const [middle, place, turn] = [new V.Vector3(), new V.Vector3(), new V.Quaternion()];
  const frames = stage.times.length;
  const step = Math.max(1, Math.floor(frames / 200));
  for (let i = 0; moving.length && i < frames; i += step) {
    middleAt(moving, i, middle);
    if (!Number.isFinite(middle.x + middle.y + middle.z)) continue;
    first.min(middle);
    last.max(middle);
    for (const { positions, quaternions, dot, reach } of moving) {
      const k = 3 * Math.min(i, positions.length / 3 - 1);
      const q = 4 * Math.min(i, quaternions.length / 4 - 1);
      turn.set(quaternions[q + 1] ?? 0, quaternions[q + 2] ?? 0, quaternions[q + 3] ?? 0, quaternions[q] ?? 1);
      place.set(positions[k], positions[k + 1], positions[k + 2]).sub(middle);
      if (dot) place.add(dot.position.clone().applyQuaternion(turn));
      low.min(place.clone().subScalar(reach));
      high.max(place.clone().addScalar(reach));
    }
  }
  if (!(low.x <= high.x)) return { moving, around: null, travels: false };
  const around = boxBetween(low, high);
  return { moving, around, travels: first.distanceTo(last) > TRAVELS * around.size };
}

/**
 * The box that a view frames: the whole motion, or the mechanism where it is now if it is
 * followed.
 */
function framedBox(stage) {
  const { around, travels } = stage.travel;
  if (stage.followed === null || !travels) return stage.box;
  const at = aim(stage, new V.Vector3());
  return boxBetween(around.low.clone().add(at), around.high.clone().add(at));
}

/** The size of what is framed: the measure of grid, light and the nearest distance. */
const framedSize = (stage) => (stage.followed === null || !stage.travel.travels ? stage.box.size : stage.travel.around.size);

/** The place of what is followed. */
function aim(stage, into) {
  if (stage.followed !== "all") return into.copy(stage.bodies[stage.followed].group.position);
  into.set(0, 0, 0);
  const { moving } = stage.travel;
  for (const { group } of moving) into.addScaledVector(group.position, 1 / moving.length);
  return into;
}

/** Follows the whole mechanism ("all"), a body by its number, or nothing (null). */
function follow(stage, what) {
  stage.followed = what;
  stage.heading = null;
  byId("follow").value = what === null ? "" : what;
  stage.controls.minDistance = framedSize(stage) / 50;
  stage.paintGround?.();
  if (what !== null) moveAlong(stage);
}

/**
 * The turn about the vertical of what is followed since it was last looked at, if the camera chases
 * it: of a body, or of the first body that moves.
 */
function turned(stage) {
  const body = stage.followed === "all" ? stage.travel.moving[0] : stage.bodies[stage.followed];
  if (!byId("chase").checked || !body) {
    stage.heading = null;
    return 0;
  }
  const up = stage.basis.u;
  const ahead = new V.Vector3(1, 0, 0).applyQuaternion(body.group.quaternion);
  const across = ahead.addScaledVector(up, -ahead.dot(up));
  const before = stage.heading;
  stage.heading = across.lengthSq() > 1e-6 ? across.normalize() : before;
  if (!before || stage.heading === before) return 0;
  return Math.atan2(before.clone().cross(across).dot(up), before.dot(across));
}

/** Moves camera, light and grid along with what is followed. */
function moveAlong(stage) {
  const target = aim(stage, new V.Vector3());
  if (!Number.isFinite(target.x + target.y + target.z)) return;
  const turn = turned(stage);
  if (turn) stage.camera.position.sub(stage.controls.target).applyAxisAngle(stage.basis.u, turn).add(stage.controls.target);
  const offset = stage.followed === "all" ? stage.travel.around?.middle : null;
  if (offset) target.add(offset);
  stage.camera.position.add(target).sub(stage.controls.target);
  stage.controls.target.copy(target);
  stage.moveGround?.(target);
}

/**
 * Turns the camera to a named view that frames the whole motion, or what is followed, below the
 * buttons.
 */
function look(stage, view) {
  const { basis, camera, controls, host } = stage;
  const box = framedBox(stage);
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

/**
 * Unit vector from the motion to the reader. At the start a flat motion is seen nearly face on.
 */
function viewDirection(stage, view) {
  const { basis, camera, controls } = stage;
  const box = framedBox(stage);
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
