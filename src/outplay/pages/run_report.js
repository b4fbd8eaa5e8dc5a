"use strict";
(() => {
  // Steps and the arrows of the picture light each other up.
  const figure = document.querySelector(".play"), edges = new Map();
  for (const edge of figure ? figure.querySelectorAll(".edge") : []) {
    const told = edge.querySelector("title").textContent;
    for (const found of told.matchAll(/  step ([\d, ]+)$/gm)) for (const step of found[1].split(", ")) edges.set(step, edge);
  }
  const rows = figure ? [...document.querySelectorAll(".beside tr[id]")] : [];
  const stepOf = (row) => row.id.split("s")[1];
  const light = (chosen) => {
    for (const lit of document.querySelectorAll(".beside .lit")) lit.classList.remove("lit");
    figure.classList.toggle("asking", chosen.length > 0);
    for (const row of chosen) { row.classList.add("lit"); edges.get(stepOf(row))?.classList.add("lit"); }
  };
  for (const row of rows) {
    row.addEventListener("mouseenter", () => light([row]));
    row.addEventListener("mouseleave", () => light([]));
  }
  for (const edge of new Set(edges.values())) {
    const own = rows.filter((row) => edges.get(stepOf(row)) === edge);
    edge.addEventListener("mouseenter", () => light(own));
    edge.addEventListener("mouseleave", () => light([]));
    edge.addEventListener("click", () => own[0]?.scrollIntoView({ block: "center" }));
  }
  // A click on the number of a step makes a link to it, and a link opens what it leads into.
  document.addEventListener("click", (event) => {
    const row = event.target.closest?.("td.t")?.parentElement;
    if (row?.id) location.hash = row.id;
  });
  const unfold = () => {
    const target = document.getElementById(location.hash.slice(1));
    for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target?.scrollIntoView({ block: "center" });
  };
  addEventListener("hashchange", unfold);
  unfold();
  for (const text of document.querySelectorAll(".copied")) {
    const button = document.createElement("button"), line = text.textContent;
    button.textContent = "Copy";
    button.onclick = async () => {
      await navigator.clipboard.writeText(line);
      button.textContent = "Copied";
    };
    text.append(button);
  }
  addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll("details:not(.plays)")) fold.open = true;
  });
})();
