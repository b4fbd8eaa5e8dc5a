// Live runs: started, paused, taken over and cancelled; coverage, confidence and failures as they come.
import { act, ask, listen, unpacked } from "./asking.js";
import { palette } from "./colours.js";
import { label } from "./labels.js";
import { computed, effect, h, shows, signal } from "./reactive.js";
import { clearMarks, facts, guarded, mark, panel, select, timeline, tints } from "./store.js";
import { tintBy, tintsOf, ways } from "./tinting.js";

export const run = signal(null);
const form = { sut: "", goal: "", plays: "", time: "", seed: "0", ready: "", tester: "", keep_going: true };
const failing = signal(null);
const again = signal(null);
const MOST = 2000;
let rows = [], stop = () => {}, last = 0;

const start = guarded(async byHand => {
  const given = { ...form, tester: form.goal ? "" : form.tester, document: facts.peek().id, byHand };
  for (const name of ["plays", "seed"]) given[name] = given[name] === "" ? null : Number(given[name]);
  stop();
  rows = [];
  failing.value = again.value = run.value = timeline.value = null;
  const begun = await act("start", given);
  run.value = begun;
  ways.value = [...ways.peek().filter(([name]) => !["coverage", "suspicion"].includes(name)), ["coverage", "by coverage"], ["suspicion", "by suspicion"]];
  stop = listen("run", { run: begun.id }, take);
});

function take(told) {
  const play = told.rows.length ? told.rows.at(-1)[1] : rows.at(-1)?.[1];
  rows = [...rows, ...told.rows].slice(-MOST);
  run.value = { ...told, rows: [] };
  if (failing.peek()) return;
  const shown = rows.filter(row => row[1] === play).slice(-400);
  if (shown.length) timeline.value = { title: `Play ${play}`, rows: shown };
  if (performance.now() - last > 250 && panel.peek() === "run") { last = performance.now(); markRows(shown.slice(-30)); }
  if (["coverage", "suspicion"].includes(tintBy.peek())) tint();
}

// Mark the way of some rows: through decisions that stand between two states too.
export function markRows(shown, dim = false) {
  const { graph } = globalThis.studio, places = shown.map(row => row[6]).filter(vertex => vertex >= 0), edges = [];
  for (let at = 1; at < places.length; at++) {
    const [from, to] = [places[at - 1], places[at]];
    if (graph.arrow(from, to) !== undefined) { edges.push([from, to]); continue; }
    for (const arrow of graph.leaving.get(graph.node(from)) ?? []) {
      const between = graph.scene.vertex[graph.scene.target[arrow]];
      if (graph.arrow(between, to) !== undefined) { edges.push([from, between], [between, to]); break; }
    }
  }
  mark("trace", new Set(places), edges, { dim });
}

let tinting = false;
const tint = guarded(async () => {
  const by = tintBy.value, now = run.peek();
  if (!["coverage", "suspicion"].includes(by) || !now || tinting) return;
  tinting = true;
  try {
    const response = await fetch(`ask/runtints?${new URLSearchParams({ run: now.id, by })}`);
    if (response.ok) tints.value = tintsOf(`${by} of this run`, unpacked(await response.arrayBuffer()).tint, by === "coverage" ? ["not seen", "seen"] : ["suspected most", "cleared"]);
    await new Promise(done => setTimeout(done, 400));
  } finally { tinting = false; }
});
effect(() => { tint(); });

const steer = guarded(async (what, further = {}) => { run.value = { ...run.peek(), ...await act("steer", { run: run.peek().id, what, ...further }), rows: [] }; });

const openFailure = guarded(async number => {
  const found = await ask("failing", { run: run.peek().id, failure: number });
  failing.value = found;
  again.value = null;
  showRows(`Failing play ${found.play}`, found.rows);
});

function showRows(title, shown) {
  timeline.value = { title, rows: shown };
  markRows(shown, true);
  const wrong = shown.find(row => !row[8]), vertex = (wrong ?? shown.at(-1))?.[6];
  if (vertex >= 0) { select(vertex); globalThis.studio.graph.show(vertex); }
}

const repeat = guarded(async shrink => {
  again.value = { busy: true };
  try {
    const found = await act("replay", { run: run.peek().id, failure: failing.peek().number, shrink });
    again.value = found;
    if (found.rows.length) showRows(found.short ? "The failing play, made short" : "The failing play, again", found.rows);
  } catch (error) { again.value = null; throw error; }
});

function field(title, name, kind, further = {}) {
  return h("label", {}, title, h("input", { type: kind, value: form[name], oninput: event => { form[name] = event.target.value; }, ...further }));
}

function curve(points) {
  const canvas = h("canvas", { class: "curve", width: 720, height: 150, role: "img", "aria-label": "Coverage over time" }), pen = canvas.getContext("2d");
  const most = Math.max(...points.map(point => point[2]), 1), end = Math.max(points.at(-1)[0], 1e-9);
  for (const [place, colour] of [[2, palette.output], [1, palette.input]]) {
    pen.strokeStyle = colour;
    pen.lineWidth = 3;
    pen.beginPath();
    pen.moveTo(0, 146);
    for (const point of points) pen.lineTo(point[0] / end * 716, 146 - point[place] / most * 138);
    pen.stroke();
  }
  return canvas;
}

function grouped(failures) {
  const groups = new Map();
  for (const one of failures) {
    const key = `${one.kind} ${one.why}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(one);
  }
  return [...groups.values()].sort((one, other) => other.length - one.length);
}

// One part of what is shown: made anew only when its own piece of the run changes, so that a button that is being
// pressed, a box with text in it and the focus stay while news come in.
function part(piece, make) {
  const key = computed(() => JSON.stringify(run.value ? piece(run.value) ?? null : null));
  return shows(h("div"), () => [key.value, run.peek() ? make(run.peek()) : null][1]);
}

const ongoing = now => now.phase !== "ended";

function status() {
  const hint = shows(h("div"), () => run.value ? null : h("p", { class: "hint" }, "Name a system and start. `exec:` starts a program that reads inputs and writes outputs line by line; `model:` simulates a model."));
  const head = part(now => [now.phase, now.byHand, now.error, now.ended], now => [
    h("p", { class: "controls" }, h("span", { class: `chip ${now.phase}` }, now.phase === "asking" ? "your move" : now.phase),
      ongoing(now) ? [now.phase === "paused" ? h("button", { onclick: () => steer("go on") }, "Go on") : h("button", { onclick: () => steer("pause") }, "Pause"),
        now.byHand ? h("button", { onclick: () => steer("hand back") }, "Hand back") : h("button", { onclick: () => steer("take over") }, "Take over"),
        h("button", { onclick: () => steer("cancel") }, "Cancel")] : null),
    now.error ? h("p", { class: "bad" }, now.error) : null,
    now.ended ? h("p", { class: `ended ${now.ended.verdict === "pass" ? "good" : "bad"}` }, now.ended.headline) : null]);
  head.setAttribute("aria-live", "polite");
  const moves = part(now => now.offered, now => now.offered ? [h("h3", {}, "Your move"), h("div", { class: "offers" }, now.offered.map(one => one.family
    ? family(one) : h("button", { onclick: () => steer("move", { label: one.label }) }, label(one.label))),
    h("button", { onclick: () => steer("move", { label: "wait" }) }, "Wait"), h("button", { onclick: () => steer("move", { label: "stop" }) }, "End this play"))] : null);
  const numbers = part(now => [now.plays, now.failed, now.steps, now.coverage, now.confidence], now => {
    const points = now.coverage ?? [];
    return [
      h("p", { class: "counts" }, h("span", {}, h("b", {}, (now.plays ?? 0).toLocaleString()), " plays"), h("span", { class: now.failed ? "bad" : "" }, h("b", {}, now.failed ?? 0), " failed"),
        h("span", {}, h("b", {}, (now.steps ?? 0).toLocaleString()), " steps")),
      points.length > 1 ? [h("h3", {}, `Coverage: ${points.at(-1)[1]} states, ${points.at(-1)[2]} transitions`), curve(points)] : null,
      now.confidence?.words?.length ? [h("h3", {}, "Confidence"), now.confidence.words.map(text => h("p", {}, text))] : null];
  });
  const failures = part(now => now.failures, now => now.failures?.length ? [h("h3", {}, "Failures"), grouped(now.failures).map(group => h("div", { class: "failure" },
    h("button", { class: "place", onclick: () => openFailure(group[0].number) }, h("b", { class: "bad" }, `${group.length}× `), group[0].kind, h("span", { class: "faint" }, ` first in play ${group[0].play}: see where it left the model`)),
    h("p", {}, group[0].why)))] : null);
  const chosen = part(ongoing, now => opened(ongoing(now)));
  const lines = part(now => [now.ended, now.failures], now => now.ended && !now.failures?.length ? h("pre", {}, now.ended.lines.join("\n")) : null);
  return [hint, head, moves, numbers, failures, chosen, lines];
}

function family(one) {
  const box = h("input", { value: one.label, "aria-label": one.family });
  return h("span", {}, h("code", {}, one.family), box, h("button", { onclick: () => steer("move", { label: box.value }) }, "Give"));
}

function opened(going) {
  const found = failing.value;
  if (!found) return null;
  const wrong = found.rows.findIndex(row => !row[8]);
  return h("div", { class: "told" }, h("p", {}, `Play ${found.play} left the model at step ${wrong < 0 ? found.rows.length : found.rows[wrong][0] - 1}: `, label(wrong < 0 ? "" : found.rows[wrong][3] || found.rows[wrong][2])),
    found.allowed.length ? h("p", {}, "Allowed there: ", found.allowed.slice(0, 12).map(text => [label(text), " "])) : null,
    h("p", { class: "controls" }, h("button", { disabled: going || again.value?.busy, onclick: () => repeat(false) }, "Replay"),
      h("button", { disabled: going || again.value?.busy, onclick: () => repeat(true) }, "Replay and shrink"),
      h("button", { onclick: () => { failing.value = null; clearMarks(); } }, "Back to the run")),
    again.value?.busy ? h("p", { class: "faint" }, "playing it again …") : again.value ? [h("p", {}, `Failed ${again.value.fails} of ${again.value.tries} times. ${again.value.headline}`), h("pre", {}, again.value.lines.join("\n"))] : null);
}

export function runPanel() {
  const goals = shows(h("select", { "aria-label": "Goal of the run", onchange: event => { form.goal = event.target.value; } }), () =>
    [h("option", { value: "" }, "whatever may be wrong"), (facts.value?.goals ?? []).map(name => h("option", { value: name }, name))]);
  return h("div", { class: "run" }, h("form", { onsubmit: event => { event.preventDefault(); start(false); } },
    field("System", "sut", "text", { placeholder: "exec:./server", size: 30, name: "sut" }),
    h("p", { class: "chooser" }, h("label", {}, "for", goals), field("plays", "plays", "number", { min: 1, name: "plays" }), field("seed", "seed", "number", { min: 0 }),
      h("label", {}, "by", h("select", { "aria-label": "Who plays", onchange: event => { form.tester = event.target.value; } },
        [["", "the usual mix"], ["suspicion", "suspicion"], ["cover", "coverage"], ["walk", "chance"]].map(([name, words]) => h("option", { value: name }, words)))),
      field("says first", "ready", "text", { size: 8, placeholder: "ready", title: "A line that the system prints once it is ready, if it does" })),
    h("p", { class: "controls" }, h("button", { class: "main", type: "submit" }, "Start"), h("button", { type: "button", onclick: () => start(true) }, "Start and play by hand"),
      h("label", {}, h("input", { type: "checkbox", checked: true, onchange: event => { form.keep_going = event.target.checked; } }), "go on after a failure"))), status());
}
