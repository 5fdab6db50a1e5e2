// Sizes on the screen: bodies and arrows that would be too small to be seen.

/** Radius in pixels of the dot that is drawn for a body that would be smaller. */
const DOT = 6;

/**
 * A dot around the middle of a body's shapes, and how far these reach from there; no dot without
 * shapes.
 */
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
 * Stretches arrows. Their lengths are to the scale of the mechanism; where that is small against
 * the view, as in an orbit, they keep a size on the screen, and their proportions over time.
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
