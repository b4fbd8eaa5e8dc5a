// Runs kept in the store: listed, and two of them compared on the graph.
import { ask } from "./asking.js";
import { effect, h, shows, signal } from "./reactive.js";
import { facts, guarded, mark, panel } from "./store.js";

const kept = signal([]);
const chosen = signal([]);
const compared = signal(null);

const load = guarded(async () => { kept.value = (await ask("runs")).runs; });
effect(() => { if (panel.value === "kept") load(); });

const compare = guarded(async () => {
  const [second, first] = chosen.peek();
  const found = await ask("compare", { first, second, document: facts.peek()?.id });
  compared.value = found;
  const { only_first_vertices: before = [], only_second_vertices: after = [] } = found.coverage;
  mark("blocking", before, [], { dim: true });
  mark("found", after, [], { dim: true, also: true });
});

function pick(id, on) {
  chosen.value = on ? [...chosen.peek(), id].slice(-2) : chosen.peek().filter(one => one !== id);
  compared.value = null;
}

export function keptPanel() {
  return h("div", {}, h("p", { class: "controls" }, shows(h("span"), () => h("button", { class: "main", disabled: chosen.value.length !== 2, onclick: compare }, "Compare two")), h("button", { onclick: load }, "Refresh")),
    shows(h("div"), () => {
      const found = compared.value;
      if (!found) return null;
      return h("div", { class: "told" }, h("pre", {}, found.lines.join("\n")),
        h("p", { class: "faint" }, "In the graph: states that only the first saw are lit in red, those that only the second saw in green."));
    }),
    shows(h("table", { class: "kept" }), () => kept.value.length ? h("tbody", {}, kept.value.map(one => h("tr", {},
      h("td", {}, h("input", { type: "checkbox", "aria-label": `Compare ${one.id}`, checked: chosen.value.includes(one.id), onchange: event => pick(one.id, event.target.checked) })),
      h("td", {}, h("code", {}, one.id), h("br"), h("span", { class: "faint" }, `${one.model.split("/").at(-1)} · ${one.sut}`)),
      h("td", {}, h("span", { class: one.verdict === "pass" ? "good" : one.verdict === "fail" ? "bad" : "" }, one.verdict ?? "not ended"), h("br"),
        h("span", { class: "faint" }, `${one.plays} plays, ${one.states} states`))))) : h("tbody", {}, h("tr", {}, h("td", { class: "hint" }, "No runs are kept here yet.")))));
}
