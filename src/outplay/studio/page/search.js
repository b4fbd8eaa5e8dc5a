// Searching labels, names of states and their values; what is found is lit in the graph.
import { ask } from "./asking.js";
import { label, place } from "./labels.js";
import { effect, h, shows, signal } from "./reactive.js";
import { clearMarks, counted, facts, guarded, mark } from "./store.js";

export function searchBox(graph) {
  const found = signal(null);
  let asked = 0;
  const look = guarded(async text => {
    const mine = ++asked;
    if (!text.trim() || !facts.peek()) { found.value = null; clearMarks(); return; }
    await new Promise(done => setTimeout(done, 150));  // while somebody types, only the last counts
    if (mine !== asked) return;
    const answer = await ask("search", { document: facts.peek().id, text });
    if (mine !== asked) return;
    found.value = answer;
    mark("found", answer.vertices.map(one => one.vertex), answer.labels.flatMap(one => one.edges), { dim: true });
  });
  const close = () => { found.value = null; clearMarks(); box.value = ""; graph.canvas.focus(); };
  const box = h("input", { type: "search", placeholder: "Find  /", title: "Find a state, value or label (/)", "aria-label": "Find a state, value or label",
    oninput: event => look(event.target.value), onkeydown: event => { if (event.key === "Escape") close(); } });
  const list = shows(h("div", { class: "found" }), () => {
    const now = found.value;
    if (!now) return null;
    const places = now.vertices.slice(0, 40).map(one => place(one.vertex, one.name, graph));
    const labels = now.labels.slice(0, 20).map(one => h("button", { class: "place", onclick: () => {
      mark("found", [], one.edges, { dim: true });
      graph.show(one.edges[0][0]);
    } }, label(one.label), ` ${one.count}×`));
    return h("div", {}, h("p", { class: "faint" }, `${counted(now.count, "state")}, ${counted(now.labels.length, "label")}`), labels, places);
  });
  const search = h("div", { class: "search" }, box, list);
  effect(() => { search.hidden = !facts.value; });
  return search;
}
