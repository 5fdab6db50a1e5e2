// Lines between the boxes of the hierarchy: from the box that gives a signal or a frame to the one that
// takes it, and from a body to the one that it carries. The box around it stands for what is folded.
(() => {
  const figure = document.getElementById("modules");
  if (!figure) return;
  const sheet = svgElement("svg", {});
  figure.prepend(sheet);
  const boxes = new Map([...figure.querySelectorAll("[data-path]")].map((box) => [box.dataset.path, box]));

  /** The box itself, or the outermost closed box around it. */
  function shown(box) {
    let found = box;
    for (let around = box.parentElement.closest("details"); around; around = around.parentElement.closest("details")) {
      if (!around.open) found = around;
    }
    return found;
  }

  /** The place of a box, or of its heading, within the figure. */
  function place(box) {
    const part = box.matches("details") ? box.firstElementChild : box;
    const [r, f] = [part.getBoundingClientRect(), figure.getBoundingClientRect()];
    const left = r.left - f.left + figure.scrollLeft;
    return { left, right: left + r.width, y: r.top - f.top + figure.scrollTop + r.height / 2 };
  }

  function line(from, to, kind) {
    const [a, b] = [shown(from), shown(to)];
    if (a === b || a.contains(b) || b.contains(a)) return;
    const [p, q] = [place(a), place(b)];
    const [x1, x2] = p.right <= q.left ? [p.right, q.left] : q.right <= p.left ? [p.left, q.right] : [p.left, q.left];
    const bow = p.right <= q.left || q.right <= p.left ? (x2 - x1) / 2 : -24;
    const end = bow === -24 ? x2 + bow : x2 - bow;
    const d = `M${x1} ${p.y}C${x1 + bow} ${p.y} ${end} ${q.y} ${x2} ${q.y}`;
    sheet.append(svgElement("path", { d, class: kind }), svgElement("circle", { cx: x2, cy: q.y, r: 3, class: kind }));
  }

  function draw() {
    sheet.replaceChildren();
    sheet.setAttribute("width", figure.scrollWidth);
    sheet.setAttribute("height", figure.scrollHeight);
    for (const box of boxes.values()) {
      for (const [names, kind] of [["signals", "signal"], ["frames", "mechanics"], ["on", "joint"]]) {
        const givers = (box.dataset[names] || "").split(" ").filter((name) => boxes.has(name));
        givers.forEach((name) => line(boxes.get(name), box, kind));
      }
    }
  }

  figure.addEventListener("toggle", draw, true);
  new ResizeObserver(draw).observe(figure);
})();
