// Pieces of the page that several panels share.
import { h } from "./reactive.js";
import { hovered, select } from "./store.js";

export function label(text) {
  const kind = { "?": "input", "!": "output" }[text[0]] ?? "plain";
  return h("code", { class: `label ${kind}` }, text);
}

// A sentence in which `code` is set off.
export const coded = text => text.split("`").map((part, at) => at % 2 ? h("code", {}, part) : part);

// A hint that names an option of the command names the field of the page instead.
export const forPage = text => text.replace("see --ready", "fill in “says first” under Live run");

// A button that leads to a vertex; pointing at it lights the vertex in the graph.
export function place(vertex, name, graph) {
  return h("button", { class: "place", "data-vertex": vertex, onclick: () => { select(vertex); graph.show(vertex); },
    onpointerenter: () => { hovered.value = vertex; }, onpointerleave: () => { hovered.value = null; },
    onfocus: () => { hovered.value = vertex; }, onblur: () => { hovered.value = null; } }, name);
}

const CLOSES = { "(": ")", "[": "]", "{": "}" };
// A value of a state; large ones open and close.
export function value(tree) {
  if (typeof tree === "string") return h("code", { class: "value" }, tree);
  const { mark, name, parts } = tree, keyed = mark === "{" || name;
  const shown = parts.map(([key, part]) => {
    const own = typeof part === "string" && key === part;
    return h("li", {}, keyed && !own && !/^\d+$/.test(key) ? [h("span", { class: "key" }, `${key}: `)] : [], value(part));
  });
  if (!parts.length) return h("code", { class: "value" }, `${name}${mark}${CLOSES[mark]}`);
  const flat = parts.every(([, part]) => typeof part === "string");
  if (flat && parts.length <= 8) {
    const texts = parts.map(([key, part]) => keyed && key !== part && !/^\d+$/.test(key) ? `${key}: ${part}` : part);
    return h("code", { class: "value" }, `${name}${mark}${texts.join(", ")}${CLOSES[mark]}`);
  }
  return h("details", { open: parts.length <= 12 }, h("summary", {}, `${name}${mark} ${parts.length} ${CLOSES[mark]}`), h("ol", { start: 0 }, shown));
}
