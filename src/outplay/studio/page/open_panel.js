// Opening a model: an example, a file of the folder, or one that is chosen.
import { act, ask, Refusal } from "./asking.js";
import { kept, keptRun, showPast } from "./kept_panel.js";
import { effect, h, shows, signal } from "./reactive.js";
import { documents, facts, guarded, openDocument, panel, select } from "./store.js";

const MOST = 5e6, LAST = 5;  // bytes of a file; past runs
const offered = signal(null);
const load = guarded(async () => { offered.value = await ask("gallery"); });
effect(() => { if (panel.value === "open" && !offered.peek()) load(); });

export const showDocument = async id => {
  documents.value = (await ask("documents")).documents;
  await openDocument(id);
  if (facts.peek()?.id === id) await select(facts.peek().initial);
};

const open = guarded(async given => {
  const found = await act("open", given);
  await showDocument(found.documents[0].id);
  panel.value = "forecast";
});

const choose = guarded(async file => {
  if (!file) return;
  if (file.size > MOST) throw new Refusal(`${file.name} is larger than ${MOST / 1e6} MB: name it on the command line, outplay studio ${file.name}`);
  const found = await act("choose", { name: file.name, text: await file.text() });
  if (found.run) return showPast(found.run);
  await showDocument(found.documents[0].id);
  panel.value = "forecast";
});

export function openPanel() {
  const box = h("input", { type: "file", hidden: true, "aria-label": "Choose a model or a trace", onchange: event => { choose(event.target.files[0]); event.target.value = ""; } });
  const drop = h("div", { class: "drop", ondragover: event => event.preventDefault(), ondrop: event => { event.preventDefault(); choose(event.dataTransfer.files[0]); } },
    h("button", { class: "main", onclick: () => box.click() }, "Choose a file …"), box, h("p", { class: "faint" }, "or drop one here: a model program (.py), a model file, or a trace (.jsonl). A model program is code, and runs here."));
  return h("div", {}, drop, shows(h("div"), () => {
    const found = offered.value;
    if (!found) return null;
    return [found.files.length ? [h("h3", {}, "In this folder"), found.files.map(one => h("button", { class: "place wide", onclick: () => open({ file: one.file }) }, one.title))] : null,
      kept.value.length ? [h("h3", {}, "Past runs"), kept.value.slice(0, LAST).map(keptRun)] : null,
      h("h3", {}, "Examples"), found.examples.map(one => h("button", { class: "card", "data-example": one.example, onclick: () => open({ example: one.example }) }, h("b", {}, one.example), h("span", {}, one.about)))];
  }));
}
