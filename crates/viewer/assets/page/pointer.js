// What is under the pointer: its name on hovering, its data on a click.

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
  const under = (event) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    ray.setFromCamera(new V.Vector2((2 * x) / width - 1, 1 - (2 * y) / height), stage.camera);
    const groups = [...stage.bodies, ...stage.links.filter((link) => link.isRod || stage.linkGroup.visible)].map((b) => b.group).filter((g) => g.visible);
    const meshes = groups.flatMap((g) => g.children.filter((c) => c.isMesh && !c.isLine2 && c.visible));
    return { hit: ray.intersectObjects(meshes, false)[0], x, y, width, height };
  };
  let pressed = null;
  canvas.addEventListener("pointerdown", (event) => (pressed = [event.clientX, event.clientY]));
  canvas.addEventListener("pointerup", (event) => {
    const still = pressed && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) < 4;
    if (still) showData(stage, under(event).hit?.object.userData.owner ?? null);
    pressed = null;
  });
  canvas.addEventListener("pointerleave", leave);
  canvas.addEventListener("pointermove", (event) => {
    if (event.buttons) return leave();
    const { hit, x, y, width, height } = under(event);
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


/** Opens the card with the data of a body or a link; nothing closes it. */
function showData(stage, owner) {
  const card = byId("part");
  card.hidden = !owner;
  stage.shownPart = null;
  if (!owner) return;
  const close = element("button", "close", "×", { type: "button", title: "Close", "aria-label": "Close" });
  close.addEventListener("click", () => showData(stage, null));
  const facts = element("dl");
  const fact = (label, value) => {
    const said = element("dd", "", value);
    facts.append(element("dt", "", label), said);
    return said;
  };
  for (const [label, value] of owner.facts ?? []) fact(label, value);
  const heading = element("h3", "", owner.name);
  heading.append(close);
  card.replaceChildren(heading, ...(owner.description ? [element("p", "fine", owner.description)] : []), facts);
  const body = stage.bodies[stage.data.bodies.indexOf(owner)];
  const link = stage.links[stage.data.links.indexOf(owner)];
  const meters = report.scene.unit ?? 1;
  const length = (v) => number(v * meters);
  if (body) {
    const place = fact("origin now", "");
    const speed = fact("its speed now", "");
    stage.shownPart = () => {
      place.textContent = `(${body.group.position.toArray().map(length).join(", ")}) m`;
      speed.textContent = `${length(speedOf(stage.times, body.positions, player.time))} m/s`;
    };
  } else if (link && !link.isArrow) {
    const span = fact("length now", "");
    stage.shownPart = () => (span.textContent = `${length(link.length)} m`);
  }
  stage.shownPart?.();
}

/** The speed along a track between the frames around a time. */
function speedOf(times, track, t) {
  if (track.length < 6) return 0;
  const i = Math.min(indexAt(times, t), times.length - 2);
  const [a, b] = [i, i + 1].map((k) => 3 * Math.min(k, track.length / 3 - 1));
  const way = Math.hypot(track[b] - track[a], track[b + 1] - track[a + 1], track[b + 2] - track[a + 2]);
  return times[i + 1] > times[i] ? way / (times[i + 1] - times[i]) : 0;
}
