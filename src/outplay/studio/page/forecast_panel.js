// The forecast: a table linked with the graph; why a goal cannot be forced, and how it is played for.
import { ask } from "./asking.js";
import { coded, place } from "./labels.js";
import { effect, h, shows, signal } from "./reactive.js";
import { clearMarks, complain, facts, goal, guarded, mark, panel, selected } from "./store.js";

const KINDS = [["goal", "Goals"], ["label", "Labels"], ["state", "States"], ["transition", "Transitions"]];
const WORDS = { forced: "forced", help: "needs help", impossible: "impossible" };
const kind = signal("goal");
const table = signal(null);
const working = signal(false);
const words = signal("");
export const told = signal(null);  // what "why" and "how" say
effect(() => { if (told.value) requestAnimationFrame(() => document.querySelector(".forecast .told")?.scrollIntoView({ block: "nearest" })); });

let asked = 0;
const load = async () => {
  const now = facts.value, of = kind.value;
  if (!now || panel.value !== "forecast" && panel.value !== "play") return;
  const mine = ++asked;
  working.value = true;
  try {
    const found = await ask("forecast", { document: now.id, kind: of });
    if (mine === asked) table.value = { ...found, document: now.id, kind: of };
    if (of === "goal" && !found.rows.length && !facts.peek().goals.length && mine === asked) kind.value = "label";
  } catch (error) { if (mine === asked) { table.value = null; complain(error); } } finally { if (mine === asked) working.value = false; }
};
effect(() => { [facts.value, kind.value, panel.value]; const old = table.peek();
  if (!old || old.document !== facts.value?.id || old.kind !== kind.value) load(); });

let lighting = 0;  // what was asked for last is lit, whichever answer comes last
export const lightTarget = guarded(async name => {
  const mine = ++lighting;
  goal.value = name;
  told.value = null;
  const found = await ask("target", { document: facts.peek().id, goal: name });
  if (mine === lighting) mark("found", found.vertices, found.edges, { dim: true });
});

export const why = guarded(async name => {
  const mine = ++lighting;
  goal.value = name;
  const found = await ask("why", { document: facts.peek().id, goal: name });
  if (mine !== lighting) return;
  told.value = { ...found, goal: name, title: found.vertices.length ? "Why not?" : "It can be forced" };
  const near = found.places.flatMap(one => one.found.map(at => at.vertex));
  if (found.impossible && near.length) mark("found", near, [], { dim: true });
  else if (found.vertices.length) mark("blocking", found.vertices, found.edges, { dim: true });
  if (near.length) globalThis.studio.graph.show(near[0]);
});

export const how = guarded(async name => {
  const mine = ++lighting;
  goal.value = name;
  const from = selected.peek() ?? facts.peek().initial;
  const found = await ask("how", { document: facts.peek().id, goal: name, vertex: from });
  if (mine !== lighting) return;
  told.value = { ...found, goal: name, title: `How, from vertex ${from}` };
  mark("strategy", found.vertices, found.edges, { dim: true });
});

function bar(share) {
  if (share === null) return "";
  const made = h("i");
  made.style.width = `${100 * share}%`;
  return h("span", { class: "bar", title: `${share}` }, made);
}

// What the vertices that are lit mean, to somebody who sees them for the first time.
function lit({ vertices, impossible, places, goal: name }) {
  const many = vertices.length === 1 ? "1 vertex" : `${vertices.length.toLocaleString()} vertices`;
  if (impossible === undefined) return `${many} ${vertices.length === 1 ? "is" : "are"} lit: where the play may go on the way.`;
  if (impossible && places.length) return `The states listed here are lit in green.`;
  if (impossible) return `From the ${many} in red no way leads to ${name}, not even with the system's help.`;
  return `Whatever the tester does, the system can keep the play inside the ${many} in red, and ${name} holds in none of them.`;
}

function row(entry) {
  const chosen = goal.value === entry.name;
  return [h("tr", { class: `target ${entry.verdict}`, tabindex: 0, "aria-selected": chosen, "data-name": entry.name,
    onclick: () => lightTarget(entry.name), onkeydown: event => { if (event.key === "Enter") lightTarget(entry.name); } },
    h("td", {}, h("code", {}, entry.name)), h("td", {}, h("span", { class: `chip ${entry.verdict}` }, WORDS[entry.verdict], entry.helps ? ` ${entry.helps}×` : "")),
    h("td", { class: "number" }, entry.moves ?? ""),
    h("td", {}, bar(entry.probability))),
  chosen ? h("tr", { class: "more" }, h("td", { colspan: 4 }, h("p", {}, coded(entry.words)), entry.about ? h("p", {}, h("code", {}, entry.about)) : null,
    h("p", {}, entry.verdict !== "forced" ? h("button", { onclick: () => why(entry.name) }, entry.verdict === "impossible" ? "Why impossible?" : "Why not forced?") : null,
      entry.verdict !== "impossible" ? h("button", { onclick: () => how(entry.name) }, "How?") : null,
      h("button", { onclick: () => { clearMarks(); told.value = null; } }, "Clear")),
    told.value?.goal === entry.name ? explained(told.value) : null)) : null];
}

// What "why" and "how" say: the answer, the reasons for it, and the places in the graph that they are about.
function explained(found) {
  const { reasons = [], places = [] } = found;
  return h("div", { class: "told", role: "status" }, h("p", {}, h("strong", {}, `${found.title} `), reasons.length ? null : `${found.sentence}. `), reasons.map(text => h("p", {}, coded(text))),
    places.map(one => [h("h3", {}, one.title), h("ul", { class: "places" }, one.found.map(at => h("li", {}, place(at.vertex, at.name, globalThis.studio.graph), " ", h("span", { class: "faint" }, coded(at.text)))))]),
    found.vertices.length ? h("p", { class: "faint" }, lit(found)) : null);
}

export function forecastPanel() {
  const chips = KINDS.map(([name, title]) => {
    const chip = h("button", { class: "kind", onclick: () => { kind.value = name; } });
    return shows(chip, () => { chip.setAttribute("aria-pressed", kind.value === name); return title; });
  });
  const find = h("input", { type: "search", placeholder: "Find a target", "aria-label": "Find a target", oninput: event => { words.value = event.target.value.toLowerCase(); } });
  const body = shows(h("div"), () => {
    const found = table.value;
    if (working.value) return h("p", { class: "faint" }, "forecasting …");
    if (!found) return null;
    const rows = found.rows.filter(one => one.name.toLowerCase().includes(words.value));
    if (!found.rows.length) return h("p", { class: "hint" }, "There are no targets of this kind.");
    return [found.warnings.map(text => h("p", { class: "warn" }, text)),
      h("table", { class: "forecast" }, h("thead", {}, h("tr", {}, [["target", ""], ["forecast", "forced: whatever the system does; needs help: how often the system has to do what you need"],
        ["moves", "in the worst case"], [`in ${found.steps} moves`, "the probability, where the system moves by chance"]].map(([text, title]) => h("th", { title }, text)))),
        h("tbody", {}, rows.slice(0, 500).map(row))),
      found.count > rows.length || rows.length > 500 ? h("p", { class: "faint" }, `${Math.min(500, rows.length)} of ${found.count} are shown; search for others`) : null];
  });
  return h("div", {}, h("p", { class: "chips" }, chips, find), body);
}
