// Past runs: those kept in the store listed, opened, and two of them compared on the graph; traces opened like them.
import { act, ask } from "./asking.js";
import { elsewhere, failuresOf } from "./failures.js";
import { forPage } from "./labels.js";
import { showDocument } from "./open_panel.js";
import { effect, h, shows, signal } from "./reactive.js";
import { clearMarks, counted, facts, guarded, mark, panel, timeline } from "./store.js";
import { shownRun } from "./tinting.js";

export const kept = signal([]);
const chosen = signal([]);
const compared = signal(null);
export const past = signal(null);  // the run or trace that is open
const failures = failuresOf(past, "kept", { past: true, back: "Back to its failures" });

const load = guarded(async () => { kept.value = (await ask("runs")).runs; });
effect(() => { if (panel.value === "kept" || panel.value === "open") load(); });

const compare = guarded(async () => {
  const [second, first] = chosen.peek();
  const found = await ask("compare", { first, second, document: facts.peek()?.id });
  compared.value = found;
  const { only_first_vertices: before = [], only_second_vertices: after = [] } = found.coverage;
  mark("blocking", before, [], { dim: true });
  mark("found", after, [], { dim: true, also: true });
});

// Show a run or a trace that the server has opened, with its first failure at the step that left the model.
export const showPast = guarded(async found => {
  if (facts.peek()?.id !== found.document) await showDocument(found.document);
  if (facts.peek()?.id !== found.document) return;
  failures.close();
  past.value = shownRun.value = found;
  panel.value = "kept";
  if (found.failures.length) await failures.open(found.failures[0].number);
});
export const openPast = guarded(async run => showPast(await act("past", run ? { run } : {})));

function leave() {
  failures.close();
  past.value = null;
}

function pick(id, on) {
  chosen.value = on ? [...chosen.peek(), id].slice(-2) : chosen.peek().filter(one => one !== id);
  compared.value = null;
}

const tone = verdict => ({ pass: "good", fail: "bad" })[verdict] ?? "";
const when = started => new Date(started).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

// One run in a line that opens it.
export function keptRun(one) {
  return h("button", { class: "place wide run-line", "data-run": one.id, onclick: () => openPast(one.id) },
    h("b", { class: one.failed ? "bad" : tone(one.verdict) }, one.failed ? `✗ ${counted(one.failed, "play")} failed` : one.verdict === "pass" ? "✓ pass" : one.verdict ?? "not ended"), ` · ${one.model.split("/").at(-1)}`, h("br"),
    h("span", { class: "faint" }, `${when(one.started)} · ${counted(one.plays, "play")}, ${counted(one.states, "state")} · ${one.sut}`));
}

function list() {
  return h("div", {}, h("p", { class: "controls" }, shows(h("span"), () => h("button", { disabled: chosen.value.length !== 2, onclick: compare }, "Compare two")), h("button", { onclick: load }, "Refresh")),
    shows(h("div"), () => {
      const found = compared.value;
      if (!found) return null;
      return h("div", { class: "told" }, h("pre", {}, found.lines.join("\n")),
        h("p", { class: "faint" }, "In the graph: states that only the first saw are lit in red, those that only the second saw in green."));
    }),
    shows(h("table", { class: "kept" }), () => kept.value.length ? h("tbody", {}, kept.value.map(one => h("tr", {},
      h("td", {}, h("input", { type: "checkbox", "aria-label": `Compare ${one.id}`, checked: chosen.value.includes(one.id), onchange: event => pick(one.id, event.target.checked) })),
      h("td", {}, keptRun(one))))) : h("tbody", {}, h("tr", {}, h("td", { class: "hint" }, "No runs are kept here yet. `outplay run` keeps them in the folder where it is called, and so does a live run.")))));
}

function one() {
  return h("div", {}, shows(h("div"), () => {
    const found = past.value;
    return found ? [h("p", { class: "controls" }, h("button", { onclick: leave }, "‹ All past runs"), h("strong", { class: "title" }, found.title)),
      h("p", { class: `ended ${tone(found.ended.verdict)}` }, forPage(found.ended.headline)),
      h("p", { class: "faint" }, `${counted(found.plays, "play")}, ${counted(found.steps, "step")}${found.sut ? ` against ${found.sut}` : ""}`),
      found.warnings.map(text => h("p", { class: "warn" }, text))] : null;
  }), elsewhere(past), failures.block, shows(h("div"), () => failures.opened.value ? null : failures.groups));
}

export function keptPanel() {
  return shows(h("div", { class: "past" }), () => past.value ? one() : list());
}
