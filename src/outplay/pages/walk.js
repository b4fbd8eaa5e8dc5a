"use strict";
(() => {
  const main = document.querySelector("main"), svg = main.querySelector("svg");
  const details = document.querySelector("#details"), search = document.querySelector("#search");
  const count = document.querySelector("#count"), hint = details.innerHTML;
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const nodes = [...svg.querySelectorAll(".node[data-n]")], edges = [...svg.querySelectorAll(".edge[data-s]")];
  const byNumber = new Map(nodes.map((node) => [node.dataset.n, node]));
  const pictures = [...svg.querySelectorAll("[data-picture]")], choice = document.querySelector("#shown");
  let picture = pictures.find((one) => /^The (trace|strategy)/.test(one.dataset.picture)) ?? pictures[0];
  const inside = [...svg.querySelectorAll("[data-inside]")];
  const tall = inside.length ? inside[0].parentNode.transform.baseVal[0].matrix.f - 40 : height;  // without what is in boxes
  const held = JSON.parse(document.querySelector("#held")?.textContent ?? "[]"), MOST_LISTED = 50;
  let sought = new Map();  // the states that a search found in each box
  let view = { x: 0, y: 0, w: width, h: height }, kept = null, fitted = false;

  // What the titles say is shown beside the picture; as tooltips they would say it twice.
  for (const part of [...nodes, ...edges, ...svg.querySelectorAll(".entry")]) {
    const title = part.querySelector("title");
    part.info = title.textContent;
    title.remove();
    part.setAttribute("aria-label", part.info);
  }
  const drawn = new Set(nodes.map((node) => node.info.split("\n")[0]));
  for (const node of nodes) {
    node.setAttribute("tabindex", "0");
    node.setAttribute("role", "button");
  }
  svg.removeAttribute("role");

  // Seeing: the view box is what is seen; it always has the shape of the window.
  function show(next) {
    const box = main.getBoundingClientRect(), ratio = box.height / Math.max(1, box.width);
    next.w = Math.min(Math.max(next.w, 120), 6 * Math.max(width, height / ratio));
    next.h = next.w * ratio;
    view = next;
    fitted = false;
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
  }
  function fit() {
    const box = main.getBoundingClientRect(), ratio = box.height / Math.max(1, box.width);
    const w = Math.max(width, tall / ratio, box.width / 1.6);
    show({ x: (width - w) / 2, y: (tall - w * ratio) / 2, w, h: 0 });
    if (pictures.length > 1) frame([picture], 0.05);
    fitted = true;
  }
  function zoom(factor, x = view.x + view.w / 2, y = view.y + view.h / 2) {
    const w = Math.min(Math.max(view.w * factor, 120), 12 * Math.max(width, height)), k = w / view.w;
    show({ x: x - (x - view.x) * k, y: y - (y - view.y) * k, w, h: 0 });
  }
  function spot(event) {
    const box = main.getBoundingClientRect();
    return [view.x + (event.clientX - box.left) / box.width * view.w, view.y + (event.clientY - box.top) / box.height * view.h];
  }
  function centre(node, close) {
    const box = node.getBoundingClientRect(), window = main.getBoundingClientRect(), k = view.w / window.width;
    const x = view.x + (box.left + box.width / 2 - window.left) * k, y = view.y + (box.top + box.height / 2 - window.top) * k;
    const w = close ? Math.min(view.w, window.width * 1.2) : view.w, h = w * window.height / window.width;
    show({ x: x - w / 2, y: y - h / 2, w, h });
  }

  function frame(chosen, margin = 0.3) {
    const window = main.getBoundingClientRect(), k = view.w / window.width;
    const boxes = chosen.map((node) => node.getBoundingClientRect());
    const left = Math.min(...boxes.map((box) => box.left)), right = Math.max(...boxes.map((box) => box.right));
    const top = Math.min(...boxes.map((box) => box.top)), bottom = Math.max(...boxes.map((box) => box.bottom));
    const across = Math.max((right - left) * (1 + margin), (bottom - top) * (1 + margin) * window.width / window.height);
    const w = Math.max(across * k, window.width * 0.9), h = w * window.height / window.width;
    show({ x: view.x + ((left + right) / 2 - window.left) * k - w / 2,
      y: view.y + ((top + bottom) / 2 - window.top) * k - h / 2, w, h });
  }

  // Asking: hovering shows, clicking keeps, Escape lets go.
  function ask(part) {
    for (const old of svg.querySelectorAll(".lit, .here")) old.classList.remove("lit", "here");
    main.classList.toggle("asking", Boolean(part));
    if (!part) { details.innerHTML = hint; return; }
    part.classList.add("lit", "here");
    const number = part.dataset.n, list = document.createElement("ul");
    const near = number === undefined ? [part] : edges.filter((edge) => edge.dataset.s === number || edge.dataset.t === number);
    for (const [name, values] of (sought.get(part) ?? []).slice(0, MOST_LISTED)) {
      const item = document.createElement("li");
      item.textContent = `${name} ${values}`;
      list.append(item);
    }
    for (const edge of near) {
      edge.classList.add("lit");
      const other = byNumber.get(edge.dataset.s === number ? edge.dataset.t : edge.dataset.s);
      byNumber.get(edge.dataset.s).classList.add("lit");
      byNumber.get(edge.dataset.t).classList.add("lit");
      if (number === undefined) continue;
      const item = document.createElement("li"), button = document.createElement("button");
      button.textContent = edge.info;
      button.onclick = () => { keep(other); centre(other, false); };
      item.append(button);
      list.append(item);
    }
    const [first, ...rest] = part.info.split("\n"), head = document.createElement("h2");
    head.textContent = first;
    details.replaceChildren(head, document.createTextNode(rest.join("\n")), list);
  }
  function keep(part) { kept = part; ask(part); }
  function open(part) {
    if (part?.dataset.opens === undefined) return;
    const held = inside[Number(part.dataset.opens)];
    for (const one of held.querySelectorAll(".node, .edge")) one.classList.add("lit");
    frame([held]);
  }
  const partOf = (event) => event.target.closest?.("main .node, main .edge");
  main.addEventListener("pointerover", (event) => { if (!kept && !pointers.size) ask(partOf(event)); });
  main.addEventListener("pointerleave", () => { if (!kept) ask(null); });
  svg.addEventListener("focusin", (event) => {
    const part = partOf(event), box = part?.getBoundingClientRect(), window = main.getBoundingClientRect();
    if (!part || !part.matches(":focus-visible")) return;
    if (box.left < window.left || box.right > window.right || box.top < window.top || box.bottom > window.bottom) centre(part, false);
    keep(part);
  });

  // Moving: drag or two fingers, wheel, keys.
  const pointers = new Map();
  let moved = 0;
  main.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, event);
    moved = 0;
  });
  main.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const k = view.w / main.clientWidth;
    moved += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
    if (pointers.size === 2) {
      const [other] = [...pointers.values()].filter((pointer) => pointer.pointerId !== event.pointerId);
      const apart = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
      zoom(apart(before) / Math.max(1, apart(event)), ...spot(other));
    } else if (moved > 4) {
      main.classList.add("moving");
      show({ ...view, x: view.x - (event.clientX - before.clientX) * k, y: view.y - (event.clientY - before.clientY) * k });
    }
    pointers.set(event.pointerId, event);
  });
  for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, (event) => {
    if (pointers.delete(event.pointerId) && moved <= 4 && kind === "pointerup") { keep(partOf(event) ?? null); open(kept); }
    main.classList.remove("moving");
  });
  main.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 250), ...spot(event));
  }, { passive: false });
  const moves = {
    ArrowLeft: () => show({ ...view, x: view.x - view.w / 8 }), ArrowRight: () => show({ ...view, x: view.x + view.w / 8 }),
    ArrowUp: () => show({ ...view, y: view.y - view.h / 8 }), ArrowDown: () => show({ ...view, y: view.y + view.h / 8 }),
    "+": () => zoom(0.8), "=": () => zoom(0.8), "-": () => zoom(1.25), 0: fit, Escape: () => keep(null),
    "/": () => search.focus(),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || (event.target === search && event.key !== "Escape")) return;
    if (event.key === "Enter") open(document.activeElement);
    const move = moves[event.key];
    if (move) { event.preventDefault(); move(); }
  });

  // Searching: among what is drawn, and among the states that boxes hold.
  let hits = [], at = -1;
  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase(), fits = (text) => text.toLowerCase().includes(wanted);
    const drawnHits = wanted ? nodes.filter((node) => fits(node.info)) : [];
    sought = new Map();
    for (const one of wanted ? held : []) {
      if (drawn.has(one[0]) || !fits(`${one[0]} ${one[1]}`)) continue;
      const box = byNumber.get(String(one[2]));
      sought.set(box, [...sought.get(box) ?? [], one]);
    }
    const hidden = [...sought.values()].reduce((sum, some) => sum + some.length, 0);
    hits = [...new Set([...sought.keys(), ...drawnHits])];
    at = -1;
    for (const node of nodes) node.classList.toggle("found", hits.includes(node));
    count.textContent = wanted ? `${drawnHits.length + hidden} found${hidden ? `, ${hidden} inside boxes` : ""}` : "";
    const here = hits.filter((node) => picture?.contains(node));
    if (hits.length) frame(here.length ? here : hits);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !hits.length) return;
    at = (at + (event.shiftKey ? hits.length - 1 : 1)) % hits.length;
    count.textContent = `${at + 1} of ${hits.length}`;
    keep(hits[at]);
    centre(hits[at], true);
  });

  // Choosing among several pictures of one model.
  for (const one of choice ? pictures : []) choice.append(new Option(one.dataset.picture, undefined, false, one === picture));
  choice?.addEventListener("change", () => {
    picture = pictures[choice.selectedIndex];
    keep(null);
    fit();
  });

  document.querySelector("#in").onclick = () => zoom(0.8);
  document.querySelector("#out").onclick = () => zoom(1.25);
  document.querySelector("#fit").onclick = fit;
  addEventListener("resize", () => fitted ? fit() : show(view));
  fit();
  // A page can be opened at a state: picture.html#s3
  const wanted = decodeURIComponent(location.hash.slice(1));
  const start = wanted && nodes.find((node) => node.info.split("\n")[0] === wanted);
  if (start) { keep(start); centre(start, true); }
})();
