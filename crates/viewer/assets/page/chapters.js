// Parts of the time that are chosen one by one, such as the modes of a model.

/** A list to choose from, above the plots; the chosen part is played again and again. */
function setUpChapters(stage) {
  const { columns, chapters } = report.chapters ?? { chapters: [] };
  const card = byId("chapters");
  card.hidden = !chapters.length;
  if (!chapters.length) return;
  const table = element("table");
  const head = table.createTHead().insertRow();
  for (const name of columns) head.append(element("th", "", name, { scope: "col" }));
  const body = table.createTBody();
  const rows = chapters.map((chapter, k) => {
    const row = body.insertRow();
    row.tabIndex = 0;
    row.setAttribute("role", "option");
    chapter.cells.forEach((cell) => row.append(element("td", "", cell)));
    row.addEventListener("click", () => choose(k));
    row.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") choose(k);
      else if (event.key === "ArrowDown") rows[Math.min(k + 1, rows.length - 1)].focus();
      else if (event.key === "ArrowUp") rows[Math.max(k - 1, 0)].focus();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    return row;
  });
  body.setAttribute("role", "listbox");
  card.append(element("h3", "", report.chapters.title), element("div", "scroll"));
  card.lastChild.append(table);

  const choose = (k) => {
    const { title, from, to } = chapters[k];
    rows.forEach((row, i) => row.setAttribute("aria-selected", i === k));
    byId("chapter").textContent = title;
    byId("chapter").hidden = false;
    plots.window = { min: from, max: to };
    for (const plot of plots.all) plot.chart?.setScale("x", plots.window);
    if (stage) drawTraces(stage, from, to);
    player.setRange(from, to);
    report.chapters.chosen = k;
  };
  report.chapters.choose = choose;
  choose(0);
}
