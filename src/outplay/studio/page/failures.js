// Failing plays of a run, live or past: grouped, opened at the step that left the model, stepped through, replayed.
import { act, ask } from "./asking.js";
import { download } from "./exporting.js";
import { forPage, label } from "./labels.js";
import { stand } from "./lanes.js";
import { computed, effect, h, part, shows, signal } from "./reactive.js";
import { clearMarks, documents, facts, guarded, leftAt, mark, openDocument, panel, standing, timeline } from "./store.js";

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

// Whether the graph is that of the model that a run plays.
export const isShown = run => facts.value?.id === run?.document;

// A word and a way back, where the graph is that of another model.
export function elsewhere(run) {
  return shows(h("div"), () => {
    const now = run.value;
    if (!now || isShown(now)) return null;
    const title = documents.value.find(one => one.id === now.document)?.title ?? "another model";
    return h("p", { class: "warn elsewhere" }, `This run plays ${title}. `, h("button", { onclick: () => openDocument(now.document) }, "Show that model"));
  });
}

// The failures of the run in a signal, for one panel; a past run is played again only against the system named here.
export function failuresOf(run, of, { past = false, back = "" } = {}) {
  const opened = signal(null), again = signal(null), saved = signal("");
  let system = "", own = null;

  function showRows(title, rows, at = wrongOf(rows)) {
    timeline.value = own = { title, rows };
    markRows(rows, true);
    stand(at);
  }

  const recorded = found => `Failing play ${found.play}`;
  // Whoever comes back to the panel sees its play again; one of another model is closed.
  effect(() => {
    if (panel.value === of && opened.peek() && timeline.peek() !== own) showRows(recorded(opened.peek()), opened.peek().rows);
  });
  effect(() => { if (!isShown(run.peek())) opened.value = again.value = null; });
  let red = null;  // what is drawn red in the graph, while somebody stands at the step that left the model
  effect(() => {
    const at = standing.value, mine = timeline.value !== null && timeline.value === own;
    if (!mine && (!red || leftAt.peek() !== red)) { red = null; return; }
    const { [VERTEX]: vertex, [LABEL]: text, [KIND]: kind } = mine ? own.rows[wrongOf(own.rows)] : [];
    leftAt.value = red = mine && at === wrongOf(own.rows) && vertex >= 0 ? { vertex, label: text || kind } : null;
  });

  const open = guarded(async number => {
    if (facts.peek()?.id !== run.peek().document) await openDocument(run.peek().document);
    const found = await ask("failing", { run: run.peek().id, failure: number });
    again.value = null;
    saved.value = "";
    system = found.sut;
    opened.value = found;
    showRows(recorded(found), found.rows);
    block.scrollIntoView({ block: "nearest" });
  });

  const close = () => {
    opened.value = again.value = null;
    if (own && timeline.peek() === own) timeline.value = null;
    own = null;
    clearMarks();
  };

  const repeat = guarded(async shrink => {
    again.value = { busy: true };
    try {
      const found = await act("replay", { run: run.peek().id, failure: opened.peek().number, shrink, ...past ? { sut: system } : {} });
      again.value = { ...found, title: found.short ? "The failing play, made short" : "The failing play, again" };
      if (found.rows.length) showRows(again.peek().title, found.rows);
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
        h("span", { class: "faint" }, ` first in play ${group[0].play}: see where it left the model`)), h("p", {}, forPage(group[0].why))))] : null);

  function steps(title, { rows, after }) {
    const wrong = wrongOf(rows);
    return shows(h("ol", { class: "steps" }), () => {
      const here = timeline.value?.rows === rows ? standing.value : -1;
      return rows.map((row, at) => row[KIND] === "reset" ? null : h("li", { class: `${at === wrong ? "wrong" : ""} ${at === here ? "here" : ""}` },
        h("button", { class: "place", "data-place": at, "aria-current": at === here ? "step" : null, onclick: () => timeline.peek()?.rows === rows ? stand(at) : showRows(title, rows, at) },
          h("span", { class: "n" }, row[NUMBER] || "·"), label(row[LABEL] || row[KIND]),
          h("span", { class: at === wrong ? "bad" : "faint" }, at === wrong ? " ← not allowed here" : ` ${after[at] ?? ""}`)))).slice(-MOST_STEPS);
    });
  }

  // The outcome of playing a failure again; the record above it stays as it is.
  function replayed(found) {
    if (found.busy) return h("p", { class: "faint" }, "playing it again …");
    return h("div", { class: "replayed" }, h("h3", {}, `Replayed: failed ${found.fails} of ${found.tries} ${found.tries === 1 ? "time" : "times"}`), h("p", {}, forPage(found.headline)),
      found.lines.length ? h("pre", {}, forPage(found.lines.join("\n"))) : null,
      found.rows.length ? [h("p", { class: "faint" }, `${found.title}:`), steps(found.title, found)] : null);
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
      found.short ? h("p", { class: "faint" }, "This is the play as the run made it short.") : null,
      found.now ? h("p", { class: "warn" }, found.now) : null,
      steps(recorded(found), found),
      h("p", { class: "controls" }, h("button", { title: "One step back ([)", onclick: () => stand(standing.peek() - 1) }, "‹ Step back"), h("button", { title: "One step on (])", onclick: () => stand(standing.peek() + 1) }, "Step on ›"),
        h("button", { onclick: close }, back || "Back to the run")),
      h("h3", {}, "Play it again"),
      past ? h("label", { class: "sut" }, "System", h("input", { value: system, "aria-label": "System to play it again", oninput: event => { system = event.target.value; } })) : null,
      h("p", { class: "controls" }, h("button", { disabled: busy, onclick: () => repeat(false) }, "Replay"), h("button", { disabled: busy, onclick: () => repeat(true) }, "Replay and shrink"),
        h("button", { onclick: copy }, found.file ? "Save trace and copy command" : "Copy as command")),
      past ? h("p", { class: "faint" }, "Replaying starts the system named here on this machine.") : null,
      h("code", { class: "command" }, found.command), shows(h("p", { class: "faint", role: "status" }), () => saved.value),
      again.value ? replayed(again.value) : null);
  });
  return { opened, open, close, groups, block };
}
