// Light and ground of the view.

function addLights(stage) {
  const { world, camera, basis } = stage;
  const sky = new V.HemisphereLight("#ffffff", "#aab2c2", 1.6);
  sky.position.copy(basis.u);
  const sun = new V.DirectionalLight("#ffffff", 1.7);
  sun.castShadow = true;
  sun.shadow.mapSize.set(2048, 2048);
  sun.shadow.radius = 4;
  stage.shine = (at, size) => {
    sun.position
      .copy(at)
      .addScaledVector(basis.u, 1.6 * size)
      .addScaledVector(basis.right, 0.7 * size)
      .addScaledVector(basis.front, 0.9 * size);
    sun.target.position.copy(at);
    sun.shadow.normalBias = 0.002 * size;
    Object.assign(sun.shadow.camera, { left: -size, right: size, top: size, bottom: -size, near: 0.05 * size, far: 5 * size });
    sun.shadow.camera.updateProjectionMatrix();
  };
  stage.shine(stage.box.middle, stage.box.size);
  const lamp = new V.DirectionalLight("#ffffff", 0.9);
  camera.add(lamp);
  world.add(sky, sun, sun.target, camera);
}

/**
 * A grid with round cells below the motion (or at the given height), and a floor that takes
 * shadows. Where the camera follows, cells have the size of the mechanism, and the grid comes
 * along by whole cells.
 */
function addGround(stage) {
  const { data, basis, box, world } = stage;
  stage.ground = new V.Group();
  world.add(stage.ground);
  if (!data.ground) return;
  const heights = corners(box).map((corner) => corner.dot(basis.u));
  const height = data.groundHeight ?? Math.min(...heights) - 0.01 * (stage.travel.travels ? stage.travel.around.size : box.size);
  const foot = box.middle.clone().addScaledVector(basis.u, height - box.middle.dot(basis.u));
  const turn = new V.Quaternion().setFromUnitVectors(new V.Vector3(0, 1, 0), basis.u);
  const floor = new V.Mesh(new V.PlaneGeometry(1, 1).rotateX(-RIGHT_ANGLE), new V.ShadowMaterial({ depthWrite: false }));
  floor.quaternion.copy(turn);
  floor.receiveShadow = true;
  stage.ground.add(floor);
  let cell = 1;
  const snapped = (point) => {
    const at = foot.clone();
    for (const axis of [basis.right, basis.front]) at.addScaledVector(axis, Math.round(point.dot(axis) / cell) * cell - at.dot(axis));
    return at;
  };
  stage.paintGround = () => {
    const size = framedSize(stage);
    const decade = 10 ** Math.floor(Math.log10(size / 4));
    cell = decade * ([5, 2].find((factor) => factor * decade <= size / 4) ?? 1);
    const cells = 2 * Math.ceil((1.6 * size) / cell);
    stage.grid?.removeFromParent();
    stage.grid = new V.GridHelper(cells * cell, cells, themeColor("grid-strong"), themeColor("grid"));
    Object.assign(stage.grid.material, { transparent: true, opacity: 0.55, depthWrite: false });
    stage.grid.quaternion.copy(turn);
    stage.ground.add(stage.grid);
    floor.scale.set(cells * cell, 1, cells * cell);
    floor.material.opacity = isDark() ? 0.5 : 0.16;
    stage.moveGround(stage.followed === null ? box.middle : aim(stage, new V.Vector3()));
    stage.dirty = true;
  };
  stage.moveGround = (point) => {
    const at = snapped(point);
    stage.grid.position.copy(at);
    floor.position.copy(at).addScaledVector(basis.u, -0.001 * framedSize(stage));
    stage.shine(stage.followed === null ? box.middle : point, framedSize(stage));
  };
  stage.paintGround();
  stage.repaint = stage.paintGround;
}
