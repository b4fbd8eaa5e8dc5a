// The selected state: whose turn it is, its values, what differs from another one, and the moves from it and to it.
import { ask } from "./asking.js";
import { label, place, value } from "./labels.js";
import { effect, h, shows, signal } from "./reactive.js";
import { details, facts, goal, guarded, selected } from "./store.js";

const pinned = signal(null);
const changed = signal(null);

const compare = guarded(async () => {
  const from = pinned.peek(), to = selected.peek();
  if (!from || to === null || !facts.peek() || from.document !== facts.peek().id || from.vertex === to) { changed.value = null; return; }
  changed.value = await ask("difference", { document: facts.peek().id, first: from.vertex, second: to });
});
effect(() => { [pinned.value, selected.value]; compare(); });

function values(found) {
  return h("table", { class: "values" }, h("tbody", {}, found.values.map(([name, tree]) =>
    h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value(tree))))));
}

const worths = signal(null);
const weigh = guarded(async () => {
  const vertex = selected.peek(), wanted = goal.peek();
  if (vertex === null || !wanted || !facts.peek() || facts.peek().edges > 300000) { worths.value = null; return; }
  const found = await ask("alternatives", { document: facts.peek().id, vertex, goal: wanted });
  if (vertex === selected.peek() && wanted === goal.peek()) worths.value = { ...found, vertex, goal: wanted, of: new Map(found.moves.map(one => [one.edge, one])) };
});
effect(() => { [selected.value, goal.value]; worths.value = null; weigh(); });

// What a move is worth for the goal that is chosen: the answer to "why this input?".
export function worthOf(edge) {
  const one = worths.value?.of.get(edge);
  if (!one) return null;
  const best = worths.value.ranks > 1 && one.rank === 0, worst = one.worse;
  return h("span", { class: `worth ${best ? "best" : worst ? "worst" : ""}` }, one.chosen ? "★ " : "", one.words);
}

function moves(title, listed, whither, graph, count) {
  if (!listed.length) return null;
  return [h("h3", {}, title), h("table", { class: "moves" }, h("tbody", {}, listed.map(move => h("tr", { "data-edge": move.edge },
    h("td", {}, label(move.label), move.free ? h("span", { class: "faint" }, " (decided, not yet done)") : null),
    h("td", {}, place(whither === "to" ? move.target : move.source, `${whither === "to" ? "→\u00a0" : "←\u00a0"}${move[whither]}`, graph)),
    whither === "to" && worths.value ? h("td", {}, worthOf(move.edge)) : null,
    h("td", { class: "number" }, [move.probability && `p ${move.probability}`, move.cost && `cost ${move.cost}`].filter(Boolean).join(" ")))))),
    count > listed.length ? h("p", { class: "faint" }, `${count - listed.length} more`) : null];
}

export function difference(found) {
  if (!found) return null;
  const rows = found.changed.map(({ path, before, after }) => h("tr", {}, h("th", { scope: "row" }, path),
    h("td", { class: "was" }, before ?? "–"), h("td", { class: "now" }, after ?? "–")));
  return h("table", { class: "difference" }, h("thead", {}, h("tr", {}, h("th", {}, "changed"), h("th", {}, "before"), h("th", {}, "now"))),
    h("tbody", {}, rows.length ? rows : h("tr", {}, h("td", { colspan: 3 }, "the values are the same"))));
}

export function statePanel(graph) {
  return shows(h("div", { class: "state", "aria-live": "polite" }), () => {
    const found = details.value;
    if (!found) return h("p", { class: "hint" }, "Click a state, or search with /. Drag to move, turn the wheel to zoom.");
    const pin = pinned.value;
    return [
      h("h2", { class: found.owner }, found.name, found.goals.map(name => h("span", { class: "goal" }, name))),
      h("p", { class: "faint" }, `${found.turn} · vertex ${found.vertex}`),
      values(found),
      worths.value?.vertex === found.vertex ? h("p", { class: "here" }, h("code", {}, worths.value.goal), ` from here: ${worths.value.here}`) : null,
      h("p", {}, h("button", { onclick: () => { pinned.value = { vertex: found.vertex, name: found.name, document: facts.peek().id }; } }, "Compare others with this"),
        pin ? h("button", { onclick: () => { pinned.value = null; } }, "Compare no more") : null),
      pin && changed.value ? [h("h3", {}, `Changed since ${pin.name}`), difference(changed.value)] : null,
      found.moves.length ? moves("Moves", found.moves, "to", graph, found.moveCount) : h("p", {}, "No moves from here."),
      moves("Comes from", found.into, "from", graph, 0),
    ];
  });
}
