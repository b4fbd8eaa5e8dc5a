// Failing plays of a run, live or past: grouped, opened at the step that left the model, stepped through, replayed.
import { act, ask } from "./asking.js";
import { download } from "./exporting.js";
import { label } from "./labels.js";
import { stand } from "./lanes.js";
import { computed, h, part, shows, signal } from "./reactive.js";
import { clearMarks, guarded, leftAt, mark, standing, timeline } from "./store.js";

const NUMBER = 0, KIND = 2, LABEL = 3, VERTEX = 6, ALLOWED = 8;
const MOST_STEPS = 200;

// Mark the way of some rows: through decisions that stand between two states too.
export function markRows(shown, dim = false) {
  const { graph } = globalThis.studio, places = shown.map(row => row[VERTEX]).filter(vertex => vertex >= 0), edges = [];
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

function grouped(failures) {
  const groups = new Map();
  for (const one of failures) {
    const key = `${one.kind} ${one.why}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(one);
  }
  return [...groups.values()].sort((one, other) => other.length - one.length);
}

// The step that left the model; a play that broke off has none that is marked, and left it with its last one.
const wrongOf = rows => { const found = rows.findIndex(row => !row[ALLOWED]); return found < 0 ? rows.length - 1 : found; };

// The failures of the run in a signal; a past run is played again only against the system that is named here.
export function failuresOf(run, { past = false, back = "" } = {}) {
  const opened = signal(null), again = signal(null), saved = signal("");
  let system = "";

  function showRows(title, rows) {
    timeline.value = { title, rows };
    markRows(rows, true);
    const wrong = wrongOf(rows), { [VERTEX]: vertex, [LABEL]: text, [KIND]: kind } = rows[wrong];
    leftAt.value = vertex >= 0 ? { vertex, label: text || kind } : null;
    stand(wrong);
  }

  const open = guarded(async number => {
    const found = await ask("failing", { run: run.peek().id, failure: number });
    again.value = null;
    saved.value = "";
    system = found.sut;
    opened.value = found;
    showRows(`Failing play ${found.play}`, found.rows);
    block.scrollIntoView({ block: "nearest" });
  });

  const close = () => { opened.value = again.value = null; clearMarks(); };

  const repeat = guarded(async shrink => {
    again.value = { busy: true };
    try {
      const found = await act("replay", { run: run.peek().id, failure: opened.peek().number, shrink, ...past ? { sut: system } : {} });
      again.value = found;
      if (!found.rows.length) return;
      opened.value = { ...opened.peek(), rows: found.rows, after: found.after, allowed: [], states: [], change: "" };
      showRows(found.short ? "The failing play, made short" : "The failing play, again", found.rows);
    } catch (error) { again.value = null; throw error; }
  });

  const copy = guarded(async () => {
    const { file, command, number } = opened.peek();
    if (file) {
      const found = await ask("savedfailure", { run: run.peek().id, failure: number });
      download(found.name, found.text, "application/jsonl");
    }
    await navigator.clipboard?.writeText(command).catch(() => {});
    saved.value = file ? `${file} was saved and the command copied.` : "Copied.";
  });

  const groups = part(run, now => now.failures, ({ failures = [] }) =>
    failures.length ? [h("h3", {}, "Failures"), grouped(failures).map(group => h("div", { class: "failure" },
      h("button", { class: "place", onclick: () => open(group[0].number) }, h("b", { class: "bad" }, `${group.length}× `), group[0].kind,
        h("span", { class: "faint" }, ` first in play ${group[0].play}: see where it left the model`)), h("p", {}, group[0].why)))] : null);

  function steps({ rows, after }) {
    const wrong = wrongOf(rows);
    return rows.map((row, at) => row[KIND] === "reset" ? null : h("li", { class: `${at === wrong ? "wrong" : ""} ${at === standing.value ? "here" : ""}` },
      h("button", { class: "place", "data-place": at, "aria-current": at === standing.value ? "step" : null, onclick: () => stand(at) },
        h("span", { class: "n" }, row[NUMBER] || "·"), label(row[LABEL] || row[KIND]),
        h("span", { class: at === wrong ? "bad" : "faint" }, at === wrong ? " ← not allowed here" : ` ${after[at] ?? ""}`)))).slice(-MOST_STEPS);
  }

  const going = computed(() => run.value?.phase !== "ended");
  const block = shows(h("div"), () => {
    const found = opened.value, busy = again.value?.busy || going.value;
    if (!found) return null;
    const { rows } = found, wrong = rows[wrongOf(rows)];
    return h("div", { class: "told failing" }, h("p", {}, h("strong", {}, `Play ${found.play} left the model at step ${wrong[NUMBER] || rows.length}: `), label(wrong[LABEL] || wrong[KIND])),
      found.allowed.length ? h("p", {}, "Allowed there: ", found.allowed.slice(0, 12).map(text => [label(text), " "])) : null,
      found.states?.length ? h("p", {}, "State: ", h("code", {}, found.states.join(" or "))) : null,
      found.change ? h("p", {}, `${found.change[0].toUpperCase()}${found.change.slice(1)}.`) : null,
      found.now ? h("p", { class: "warn" }, found.now) : null,
      shows(h("ol", { class: "steps" }), () => steps(found)),
      h("p", { class: "controls" }, h("button", { title: "One step back ([)", onclick: () => stand(standing.peek() - 1) }, "‹ Step back"), h("button", { title: "One step on (])", onclick: () => stand(standing.peek() + 1) }, "Step on ›"),
        h("button", { onclick: close }, back || "Back to the run")),
      h("h3", {}, "Play it again"),
      past ? h("label", { class: "sut" }, "System", h("input", { value: system, "aria-label": "System to play it again", oninput: event => { system = event.target.value; } })) : null,
      h("p", { class: "controls" }, h("button", { disabled: busy, onclick: () => repeat(false) }, "Replay"), h("button", { disabled: busy, onclick: () => repeat(true) }, "Replay and shrink"),
        h("button", { onclick: copy }, found.file ? "Save trace and copy command" : "Copy as command")),
      past ? h("p", { class: "faint" }, "Replaying starts the system named here on this machine.") : null,
      h("code", { class: "command" }, found.command), shows(h("p", { class: "faint", role: "status" }), () => saved.value),
      again.value?.busy ? h("p", { class: "faint" }, "playing it again …") : again.value ? [h("p", {}, `Failed ${again.value.fails} of ${again.value.tries} times. ${again.value.headline}`), h("pre", {}, again.value.lines.join("\n"))] : null);
  });
  return { opened, open, close, groups, block };
}
