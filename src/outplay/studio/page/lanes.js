// The timeline: what happened as lanes, linked with the graph by hovering. Drawn at most ten times a second.
import { palette } from "./colours.js";
import { effect, h, shows, signal } from "./reactive.js";
import { hovered, select, standing, timeline } from "./store.js";

const NUMBER = 0, KIND = 2, LABEL = 3, WHEN = 4, UNTIL = 5, VERTEX = 6, LANE = 7, ALLOWED = 8, DETAIL = 9;
const HEAD = 18, ROW = 26, LEFT = 74;
const byTime = signal(false);
const pointed = signal(null);

// Stand at a row of the timeline: its state is selected and shown in the graph.
export function stand(place) {
  const rows = timeline.peek()?.rows ?? [];
  if (!rows.length) return;
  const at = standing.value = Math.max(0, Math.min(rows.length - 1, place)), vertex = rows[at][VERTEX];
  pointed.value = rows[at];
  if (vertex >= 0) { select(vertex); globalThis.studio.graph.show(vertex); }
}

// One lane for each channel; where channels have no names, one for each side.
const lanesOf = rows => [...new Set(rows.map(row => row[LANE]))].sort((one, other) => rank(one) - rank(other));
const rank = lane => ({ tester: 0, system: 1, run: 9 })[lane] ?? 2;

export function lanes() {
  const canvas = h("canvas", { class: "lanes", tabindex: 0, "aria-label": "Timeline: arrow keys go from step to step" });
  const pen = canvas.getContext("2d", { alpha: false });
  let boxes = [], waiting = 0, last = 0, scroll = 0, title = "";

  function layout(rows, wide) {
    if (!byTime.peek() || rows.length < 2) {
      const step = Math.max(11, Math.min(128, (wide - LEFT - 8) / Math.max(rows.length, 1)));
      const first = Math.max(0, rows.length * step - (wide - LEFT - 8) - scroll);
      return rows.map((row, place) => [LEFT + place * step - first, step - 3]);
    }
    const from = rows[0][WHEN], span = Math.max(rows.at(-1)[UNTIL] - from, 1e-6), room = wide - LEFT - 16;
    return rows.map(row => [LEFT + (row[WHEN] - from) / span * room, Math.max(3, (row[UNTIL] - row[WHEN]) / span * room)]);
  }

  function paint() {
    waiting = 0;
    last = performance.now();
    const now = timeline.peek();
    if (!now) return;
    const ratio = Math.min(2, devicePixelRatio || 1), wide = canvas.clientWidth, names = lanesOf(now.rows);
    const tall = HEAD + names.length * ROW + 6;
    canvas.style.height = `${tall}px`;
    if (canvas.width !== wide * ratio || canvas.height !== tall * ratio) { canvas.width = wide * ratio; canvas.height = tall * ratio; }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = palette.paper;
    pen.fillRect(0, 0, wide, tall);
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    const places = layout(now.rows, wide), lit = hovered.peek();
    boxes = [];
    now.rows.forEach((row, place) => {
      const [x, w] = places[place];
      if (x + w < LEFT || x > wide) return;
      const y = HEAD + names.indexOf(row[LANE]) * ROW, box = [x, y, w, ROW - 5, place];
      boxes.push(box);
      const colour = !row[ALLOWED] ? palette.bad : row[KIND] === "input" ? palette.input : row[LANE] === "run" ? palette.faint : palette.output;
      const full = lit !== null && lit === row[VERTEX] || place === standing.peek();
      pen.globalAlpha = full ? 1 : 0.3;
      pen.fillStyle = colour;
      pen.fillRect(x, y, w, ROW - 5);
      pen.globalAlpha = 1;
      pen.strokeStyle = colour;
      pen.lineWidth = place === standing.peek() ? 2.5 : 1;
      pen.strokeRect(x + 0.5, y + 0.5, w - 1, ROW - 6);
      if (w > 26) {
        pen.save();
        pen.beginPath();
        pen.rect(x, y, w - 2, ROW);
        pen.clip();
        pen.fillStyle = full ? palette.paper : palette.ink;
        pen.fillText(row[LABEL] || row[KIND], x + 4, y + (ROW - 5) / 2);
        pen.restore();
      }
    });
    pen.fillStyle = palette.paper;
    pen.fillRect(0, 0, LEFT - 4, tall);
    pen.fillStyle = palette.faint;
    names.forEach((name, place) => pen.fillText(name.slice(0, 11), 10, HEAD + place * ROW + (ROW - 5) / 2));
    const when = row => now.byHand ? `step ${row[NUMBER]}` : `${row[WHEN].toFixed(3)} s`;
    if (now.rows.length) pen.fillText(when(now.rows[0]), LEFT, 9);
    if (now.rows.length > 1) pen.fillText(when(now.rows.at(-1)), wide - 60, 9);
  }

  function redraw() {
    if (!waiting) waiting = setTimeout(() => requestAnimationFrame(paint), Math.max(0, 100 - (performance.now() - last)));
  }

  function under(event) {
    const { left, top } = canvas.getBoundingClientRect(), x = event.clientX - left, y = event.clientY - top;
    return boxes.find(([bx, by, w, t]) => x >= bx && x <= bx + Math.max(w, 4) && y >= by && y <= by + t);
  }
  canvas.addEventListener("pointermove", event => {
    const box = under(event), row = box && timeline.peek().rows[box[4]];
    hovered.value = row && row[VERTEX] >= 0 ? row[VERTEX] : null;
    pointed.value = row ?? null;
  });
  canvas.addEventListener("pointerleave", () => { hovered.value = null; });
  canvas.addEventListener("click", event => { const box = under(event); if (box) stand(box[4]); });
  canvas.addEventListener("wheel", event => { event.preventDefault(); scroll = Math.max(0, scroll - event.deltaX - event.deltaY); redraw(); }, { passive: false });
  canvas.addEventListener("keydown", event => {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9 }[event.key];
    if (by) { event.preventDefault(); stand(standing.peek() + by); }
  });
  effect(() => { [timeline.value, hovered.value, byTime.value, standing.value]; redraw(); });
  effect(() => {
    if (timeline.value?.title === title && !timeline.peek()?.byHand) return;
    title = timeline.peek()?.title;
    standing.value = -1;
    pointed.value = null;
    scroll = 0;
  });
  new ResizeObserver(redraw).observe(canvas);
  const told = shows(h("span", { class: "pointed" }), () => {
    const row = pointed.value;
    if (row && timeline.value?.byHand) return `${row[NUMBER]}. ${row[LABEL]}`;
    return row ? [`${row[NUMBER] ? `${row[NUMBER]}. ` : ""}${row[LABEL] || row[KIND]}`, row[UNTIL] > row[WHEN] ? ` given ${row[WHEN].toFixed(4)} s, taken ${row[UNTIL].toFixed(4)} s` : ` at ${row[WHEN].toFixed(4)} s`,
      row[ALLOWED] ? "" : " · not allowed here", row[DETAIL] ? ` · ${row[DETAIL]}` : ""].join("") : "";
  });
  const strip = h("div", { class: "strip" }, h("p", {}, shows(h("strong"), () => timeline.value?.title ?? ""), told,
    h("label", {}, h("input", { type: "checkbox", onchange: event => { byTime.value = event.target.checked; } }), "by time"),
    h("button", { "aria-label": "Close the timeline", onclick: () => { timeline.value = null; } }, "×")), canvas);
  shows(h("i"), () => { strip.hidden = !timeline.value; return null; });
  return strip;
}
