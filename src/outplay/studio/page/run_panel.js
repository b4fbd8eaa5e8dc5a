// Live runs: started, paused, taken over and cancelled; coverage, confidence and failures as they come.
import { act, listen } from "./asking.js";
import { palette } from "./colours.js";
import { elsewhere, failuresOf, isShown, markRows } from "./failures.js";
import { past } from "./kept_panel.js";
import { coded, forPage, label } from "./labels.js";
import { effect, h, part, shows, signal } from "./reactive.js";
import { counted, facts, guarded, panel, scene, timeline } from "./store.js";
import { shownRun, tintRun } from "./tinting.js";

export const run = signal(null);
const form = { sut: "", goal: "", plays: "", time: "", seed: "0", ready: "", tester: "", keep_going: true };
const failures = failuresOf(run, "run");
const MOST = 2000;
let rows = [], stop = () => {}, last = 0;

const start = guarded(async byHand => {
  const given = { ...form, tester: form.goal ? "" : form.tester, document: facts.peek().id, byHand };
  for (const name of ["plays", "seed"]) given[name] = given[name] === "" ? null : Number(given[name]);
  stop();
  rows = [];
  failures.close();
  run.value = timeline.value = null;
  const begun = await act("start", given);
  run.value = begun;
  shownRun.value = { id: begun.id, covered: true, live: true };
  stop = listen("run", { run: begun.id }, take);
});

function take(told) {
  rows = [...rows, ...told.rows].slice(-MOST);
  run.value = { ...told, rows: [] };
  follow();
}

// Show the play that goes on to whoever looks at the run; the graph and the timeline of other models and plays stay.
function follow() {
  const looked = panel.peek() === "run", now = run.peek();
  if (!now || !isShown(now) || failures.opened.peek()) return;
  const play = rows.at(-1)?.[1], shown = rows.filter(row => row[1] === play).slice(-400);
  if (shown.length && (looked || timeline.peek()?.run === now.id)) timeline.value = { title: `Play ${play}`, rows: shown, run: now.id };
  if (looked && performance.now() - last > 250) { last = performance.now(); markRows(shown.slice(-30)); }
  tintRun();
}
effect(() => { [panel.value, scene.value]; queueMicrotask(() => { if (panel.peek() === "run") follow(); }); });
effect(() => {
  const now = run.peek();
  if (facts.value && now && isShown(now)) shownRun.value = { id: now.id, covered: true, live: true };
});

const steer = guarded(async (what, further = {}) => { run.value = { ...run.peek(), ...await act("steer", { run: run.peek().id, what, ...further }), rows: [] }; });

const boxes = {};
function field(title, name, kind, further = {}) {
  boxes[name] = h("input", { type: kind, value: form[name], oninput: event => { form[name] = event.target.value; }, ...further });
  return h("label", {}, title, boxes[name]);
}

// A past run that is opened fills in its system where nobody has named one.
let filled = "";
effect(() => {
  const { sut, ready } = past.value ?? {};
  if (!sut || form.sut !== filled) return;
  filled = sut;
  for (const [name, text] of [["sut", sut], ["ready", ready ?? ""]]) form[name] = boxes[name].value = text;
});

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

const ongoing = now => now.phase !== "ended";

function status() {
  const hint = shows(h("div"), () => run.value ? null : h("p", { class: "hint" }, coded("Name a system and start. `exec:` starts a program that reads inputs and writes outputs line by line; `model:` simulates a model.")));
  const head = part(run, now => [now.phase, now.byHand, now.error, now.ended], now => [
    h("p", { class: "controls" }, h("span", { class: `chip ${now.phase}` }, now.phase === "asking" ? "your move" : now.phase),
      ongoing(now) ? [now.phase === "paused" ? h("button", { onclick: () => steer("go on") }, "Go on") : h("button", { onclick: () => steer("pause") }, "Pause"),
        now.byHand ? h("button", { onclick: () => steer("hand back") }, "Hand back") : h("button", { onclick: () => steer("take over") }, "Take over"),
        h("button", { onclick: () => steer("cancel") }, "Cancel")] : null),
    now.error ? h("p", { class: "bad" }, now.error) : null,
    now.ended ? h("p", { class: `ended ${now.ended.verdict === "pass" ? "good" : "bad"}` }, forPage(now.ended.headline)) : null]);
  head.setAttribute("aria-live", "polite");
  const moves = part(run, now => now.offered, now => now.offered ? [h("h3", {}, "Your move"), h("div", { class: "offers" }, now.offered.map(one => one.family
    ? family(one) : h("button", { onclick: () => steer("move", { label: one.label }) }, label(one.label))),
    h("button", { onclick: () => steer("move", { label: "wait" }) }, "Wait"), h("button", { onclick: () => steer("move", { label: "stop" }) }, "End this play"))] : null);
  const numbers = part(run, now => [now.plays, now.failed, now.steps], ({ plays = 0, failed = 0, steps = 0 }) => h("p", { class: "counts" },
    [[plays, "play"], [failed, "failed"], [steps, "step"]].map(([count, noun]) => h("span", { class: count && noun === "failed" ? "bad" : "" },
      h("b", {}, count.toLocaleString()), ` ${noun}${noun === "failed" || count === 1 ? "" : "s"}`))));
  const seen = part(run, now => [now.coverage, now.confidence], now => {
    const points = now.coverage ?? [];
    return [points.length > 1 ? [h("h3", {}, `Coverage: ${counted(points.at(-1)[1], "state")}, ${counted(points.at(-1)[2], "transition")}`), curve(points)] : null,
      now.confidence?.words?.length ? [h("h3", {}, "Confidence"), now.confidence.words.map(text => h("p", {}, coded(text)))] : null];
  });
  const lines = part(run, now => [now.ended, now.failures], now => now.ended && !now.failures?.length ? h("pre", {}, forPage(now.ended.lines.join("\n"))) : null);
  return [hint, elsewhere(run), head, moves, numbers, failures.groups, failures.block, seen, lines];
}

function family(one) {
  const box = h("input", { value: one.label, "aria-label": one.family });
  return h("span", {}, h("code", {}, one.family), box, h("button", { onclick: () => steer("move", { label: box.value }) }, "Give"));
}

export function runPanel() {
  const goals = shows(h("select", { "aria-label": "Goal of the run", onchange: event => { form.goal = event.target.value; } }), () =>
    [h("option", { value: "" }, "any fault"), (facts.value?.goals ?? []).map(name => h("option", { value: name }, name))]);
  return h("div", { class: "run" }, h("form", { onsubmit: event => { event.preventDefault(); start(false); } },
    field("System", "sut", "text", { placeholder: "exec:./server", size: 30, name: "sut" }),
    h("p", { class: "chooser" }, h("label", {}, "for", goals), field("plays", "plays", "number", { min: 1, name: "plays" }), field("seed", "seed", "number", { min: 0 }),
      h("label", {}, "by", h("select", { "aria-label": "Who plays", onchange: event => { form.tester = event.target.value; } },
        [["", "the usual mix"], ["suspicion", "suspicion"], ["cover", "coverage"], ["walk", "chance"]].map(([name, words]) => h("option", { value: name }, words)))),
      field("says first", "ready", "text", { size: 8, name: "ready", placeholder: "e.g. ready", title: "A line that the system prints once it is ready, if it does" })),
    h("p", { class: "controls" }, h("button", { class: "main", type: "submit" }, "Start"), h("button", { type: "button", onclick: () => start(true) }, "Start and play by hand"),
      h("label", {}, h("input", { type: "checkbox", checked: true, onchange: event => { form.keep_going = event.target.checked; } }), "go on after a failure"))), status());
}
