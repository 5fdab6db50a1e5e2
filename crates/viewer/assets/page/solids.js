// Geometries of shapes and links. Round solids have their axis along z, as in the data.

const V = Vendor;
const RIGHT_ANGLE = Math.PI / 2;

/** Colours of bodies without one: muted, so that light and shade remain visible, in both themes. */
const BODY_COLORS = ["#5b8bd0", "#dd8a55", "#53a88b", "#b678b0", "#c2a04c", "#5aa7bd", "#cf6f78", "#8c82cc", "#8aa35a", "#a18674"];
const LINK_COLORS = { spring: "#7d8ca3", damper: "#7d8ca3", line: "#7d8ca3", force: "#d64545", torque: "#8b5cd6" };

/** Geometry of a solid; null for lines, which are drawn otherwise. */
function solidGeometry(solid) {
  switch (solid.kind) {
    case "box":
      return new V.BoxGeometry(...solid.size);
    case "sphere":
      return new V.SphereGeometry(solid.radius, 32, 20);
    case "cylinder":
      return new V.CylinderGeometry(solid.radius, solid.radius, solid.length, 40).rotateX(RIGHT_ANGLE);
    case "cone":
      return new V.ConeGeometry(solid.radius, solid.length, 40).rotateX(RIGHT_ANGLE);
    case "capsule":
      return capsuleGeometry(solid.radius, solid.end_radius, solid.length);
    case "ellipsoid":
      return new V.SphereGeometry(1, 32, 20).scale(...solid.radii);
    case "plane":
      return new V.PlaneGeometry(...solid.size);
    case "mesh":
      return meshGeometry(solid.vertices, solid.triangles);
    default:
      return null;
  }
}

/**
 * The hull of two balls on the z-axis, by turning its outline. The straight part touches both balls at the angle a
 * with sin a = (r0 - r1) / length, measured from the equators.
 */
function capsuleGeometry(r0, r1, length) {
  const slope = (r0 - r1) / length;
  if (!(Math.abs(slope) < 1)) return new V.SphereGeometry(Math.max(r0, r1), 32, 20);
  const tilt = Math.asin(slope);
  const outline = [];
  const arc = (radius, height, from, to) => {
    for (let k = 0; k <= 10; k++) {
      const angle = from + ((to - from) * k) / 10;
      outline.push(new V.Vector2(Math.max(0, radius * Math.cos(angle)), height + radius * Math.sin(angle)));
    }
  };
  arc(r0, -length / 2, -RIGHT_ANGLE, tilt);
  arc(r1, length / 2, tilt, RIGHT_ANGLE);
  return new V.LatheGeometry(outline, 28).rotateX(RIGHT_ANGLE);
}

function meshGeometry(vertices, triangles) {
  const whole = triangles.filter((t) => t.every((k) => k < vertices.length));
  const corners = whole.flatMap((t) => t.flatMap((k) => vertices[k]));
  const geometry = new V.BufferGeometry();
  geometry.setAttribute("position", new V.BufferAttribute(new Float32Array(corners), 3));
  geometry.computeVertexNormals();
  return geometry;
}

/** A line of constant width on the screen. */
function fatLine(points, color, width, opacity = 1) {
  const geometry = new V.LineGeometry();
  geometry.setPositions(points);
  const material = new V.LineMaterial({ color, linewidth: width, transparent: opacity < 1, opacity, depthWrite: opacity >= 1 });
  return new V.Line2(geometry, material);
}

/** A colour as `#rrggbb`, or nothing. */
const hexColor = (color) => (/^#[0-9a-fA-F]{6}$/.test(color) ? color : null);

/** The colour of a shape: its own, or that of its body. */
const shapeColor = (shape, bodyColor) => hexColor(shape.color) ?? bodyColor;

/** The drawable thing for one shape of a body. */
function shapeObject(shape, bodyColor) {
  const color = shapeColor(shape, bodyColor);
  const geometry = solidGeometry(shape.solid);
  let object;
  if (geometry) {
    const flat = shape.solid.kind === "plane" || shape.solid.kind === "mesh";
    const see = shape.opacity < 1;
    object = new V.Mesh(
      geometry,
      new V.MeshStandardMaterial({ color, roughness: 0.55, metalness: 0.08, transparent: see, opacity: shape.opacity, depthWrite: !see, side: flat ? V.DoubleSide : 0 }),
    );
    object.castShadow = !see;
    object.receiveShadow = true;
  } else {
    object = shape.solid.points.length > 1 ? fatLine(shape.solid.points.flat(), color, 2.5) : new V.Group();
  }
  const { position, quaternion } = shape.pose;
  object.position.set(...position);
  object.quaternion.set(quaternion[1], quaternion[2], quaternion[3], quaternion[0]);
  return object;
}

/**
 * A link drawn along z from 0 to 1, to be stretched between its ends by `stretch(length)`. `size` is the model's
 * extent.
 */
function linkObject(link, size) {
  const color = hexColor(link.color) ?? LINK_COLORS[link.kind];
  const material = new V.MeshStandardMaterial({ color, roughness: 0.5, metalness: 0.15 });
  const group = new V.Group();
  const add = (geometry) => {
    const mesh = new V.Mesh(geometry, material);
    mesh.castShadow = true;
    group.add(mesh);
    return mesh;
  };
  const ends = (radius) => [add(new V.SphereGeometry(radius, 16, 12)), add(new V.SphereGeometry(radius, 16, 12))];
  const rod = (radius) => add(new V.CylinderGeometry(radius, radius, 1, 20).rotateX(RIGHT_ANGLE).translate(0, 0, 0.5));

  if (link.kind === "spring") {
    const coil = coilGeometry(0.018 * size, 0.004 * size, 0.4 * size);
    add(coil.geometry).frustumCulled = false;
    const [, far] = ends(0.009 * size);
    group.stretch = (length) => {
      coil.stretch(length);
      far.position.z = length;
    };
  } else if (link.kind === "damper") {
    const [pot, piston] = [rod(0.016 * size), rod(0.006 * size)];
    const [, far] = ends(0.009 * size);
    group.stretch = (length) => {
      far.position.z = length;
      pot.scale.set(1, 1, 0.55 * length);
      piston.scale.set(1, 1, length);
    };
  } else if (link.kind === "line") {
    const line = rod(0.006 * size);
    const [, far] = ends(0.011 * size);
    group.stretch = (length) => {
      line.scale.set(1, 1, length);
      far.position.z = length;
    };
  } else {
    const shaft = rod(0.006 * size);
    const head = () => add(new V.ConeGeometry(0.018 * size, 0.05 * size, 24).rotateX(RIGHT_ANGLE).translate(0, 0, -0.025 * size));
    const heads = link.kind === "torque" ? [head(), head()] : [head()];
    group.stretch = (length) => {
      const shrink = Math.min(1, length / (0.1 * size));
      shaft.scale.set(shrink, shrink, Math.max(length - 0.04 * size * shrink, 1e-9));
      heads.forEach((h, k) => {
        h.position.z = length - 0.03 * size * k * shrink;
        h.scale.setScalar(shrink);
      });
    };
  }
  return group;
}

const COIL = { turns: 10, rings: 240, sides: 8 };

/**
 * A coil along z from 0 to `rest`. `stretch` moves each ring of the wire along z in proportion and leaves its
 * cross-section alone, so that the wire keeps its thickness.
 */
function coilGeometry(radius, wire, rest) {
  const path = new V.CatmullRomCurve3(coilPoints(radius, rest));
  const geometry = new V.TubeGeometry(path, COIL.rings, wire, COIL.sides);
  const { position } = geometry.attributes;
  const center = Array.from({ length: COIL.rings + 1 }, (_, k) => path.getPointAt(k / COIL.rings).z);
  const ring = (k) => center[Math.floor(k / (COIL.sides + 1))];
  const offset = Float32Array.from({ length: position.count }, (_, k) => position.getZ(k) - ring(k));
  const stretch = (length) => {
    for (let k = 0; k < position.count; k++) position.setZ(k, (ring(k) * length) / rest + offset[k]);
    position.needsUpdate = true;
    geometry.boundingSphere = null;
  };
  return { geometry, stretch };
}

/** Points of a coil with straight ends. */
function coilPoints(radius, rest) {
  const points = [new V.Vector3(0, 0, 0), new V.Vector3(0, 0, 0.08 * rest)];
  const steps = COIL.turns * 12;
  for (let k = 0; k <= steps; k++) {
    const angle = (2 * Math.PI * COIL.turns * k) / steps;
    points.push(new V.Vector3(radius * Math.cos(angle), radius * Math.sin(angle), (0.12 + (0.76 * k) / steps) * rest));
  }
  points.push(new V.Vector3(0, 0, 0.92 * rest), new V.Vector3(0, 0, rest));
  return points;
}

/** Three arrows x, y, z in red, green and blue. */
function triad(length, thickness) {
  const group = new V.Group();
  const axes = [
    ["#d8453f", new V.Vector3(1, 0, 0)],
    ["#3f9e4d", new V.Vector3(0, 1, 0)],
    ["#3f74d8", new V.Vector3(0, 0, 1)],
  ];
  for (const [color, axis] of axes) {
    const material = new V.MeshBasicMaterial({ color });
    const shaft = new V.Mesh(new V.CylinderGeometry(thickness, thickness, 0.82 * length, 12).translate(0, 0.41 * length, 0), material);
    const head = new V.Mesh(new V.ConeGeometry(2.6 * thickness, 0.2 * length, 16).translate(0, 0.9 * length, 0), material);
    for (const part of [shaft, head]) {
      part.quaternion.setFromUnitVectors(new V.Vector3(0, 1, 0), axis);
      group.add(part);
    }
  }
  return group;
}
