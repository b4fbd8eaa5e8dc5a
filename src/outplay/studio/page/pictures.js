// The graph as a file: SVG as it lies, PNG as large as a canvas may be. Texts are escaped.
import { palette } from "./colours.js";
import { draw } from "./drawing.js";
import { download } from "./exporting.js";
import { Camera, bounds, line } from "./geometry.js";
import { facts } from "./store.js";

const MOST = 8000;
const safe = text => text.replace(/[&<>"']/g, mark => `&#${mark.charCodeAt(0)};`).replace(/[\u0000-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
const name = ending => `${(facts.peek()?.title ?? "game").replace(/[^\w.-]+/g, "_")}.${ending}`;

export function savePng(graph) {
  const { scene } = graph, box = bounds(scene), camera = new Camera(), ratio = 2;
  const wide = box[2] - box[0], tall = box[3] - box[1], scale = Math.min(1, MOST / ratio / wide, MOST / ratio / tall);
  camera.width = Math.ceil(wide * scale);
  camera.height = Math.ceil(tall * scale);
  camera.scale = scale;
  camera.x = (box[0] + box[2]) / 2;
  camera.y = (box[1] + box[3]) / 2;
  const canvas = document.createElement("canvas");
  canvas.width = camera.width * ratio;
  canvas.height = camera.height * ratio;
  const { nodeMarks, underMarks, arrowMarks, goals, left, dim, tinted } = graph;
  draw(canvas.getContext("2d", { alpha: false }), scene, { camera, ratio, nodeMarks, underMarks, arrowMarks, goals, left, dim, tinted, plain: false });
  canvas.toBlob(blob => download(name("png"), blob, "image/png"));
}

function shape(scene, at) {
  const x = scene.x[at], y = scene.y[at], w = scene.width[at] / 2, t = scene.height[at] / 2;
  if (scene.kind[at] === 1) {
    const tip = scene.drawn.length ? Math.min(w, t * 1.24) : w;
    return `<polygon points="${[[x - w, y], [x - w + tip, y - t], [x + w - tip, y - t], [x + w, y], [x + w - tip, y + t], [x - w + tip, y + t]].map(point => point.map(n => n.toFixed(1)).join()).join(" ")}"`;
  }
  return `<rect x="${(x - w).toFixed(1)}" y="${(y - t).toFixed(1)}" width="${(2 * w).toFixed(1)}" height="${(2 * t).toFixed(1)}" rx="${scene.kind[at] === 3 ? 4 : t.toFixed(1)}"`;
}

function node(scene, at, goal) {
  const [fill, stroke] = goal ? ["goal_fill", "good"] : [["tester_fill", "input"], ["system_fill", "output"], ["bad_fill", "bad"], ["group_fill", "faint"]][scene.kind[at]];
  const lines = scene.names[at].split("\n"), note = scene.notes[at] ?? "";
  const texts = lines.map((words, row) => `<text x="${scene.x[at].toFixed(1)}" y="${(scene.y[at] + 4 + row * 16 - (lines.length - 1) * 8 - (note && scene.drawn.length ? 6 : 0)).toFixed(1)}" text-anchor="middle" font-size="13" fill="${palette.ink}">${safe(words)}</text>`);
  if (note) texts.push(`<text x="${scene.x[at].toFixed(1)}" y="${(scene.y[at] + (scene.drawn.length ? 13 : scene.height[at] / 2 + 11)).toFixed(1)}" text-anchor="middle" font-size="11" fill="${palette.faint}">${safe(note)}</text>`);
  return `${shape(scene, at)} fill="${palette[fill]}" stroke="${palette[stroke]}" stroke-width="${goal ? 3.5 : 2}"/>${texts.join("")}`;
}

function arrow(scene, at, marked) {
  const ends = new Float64Array(6), colour = marked ? { strategy: palette.input, blocking: palette.bad, found: palette.good }[marked] ?? palette.unsure : palette.line;
  let path = "";
  if (scene.drawn.length) {
    const [start, ...steps] = scene.drawn[at].path;
    path = `M${start.join(" ")}${steps.map(step => `${step.length === 2 ? "L" : "C"}${step.join(" ")}`).join("")}`;
  } else if (line(scene, at, ends)) path = `M${[...ends.slice(0, 2)].map(n => n.toFixed(1)).join(" ")}L${[...ends.slice(2, 4)].map(n => n.toFixed(1)).join(" ")}`;
  else return "";
  const dashes = scene.arrowFlags[at] & 1 && !marked ? ' stroke-dasharray="5 4"' : "";
  const labels = scene.drawn.length ? scene.drawn[at].lines.map((parts, row) => {
    const [x, y] = scene.drawn[at].text;
    return `<text x="${x}" y="${y + 12 + row * 15}" font-size="12" font-family="monospace" text-anchor="${scene.drawn[at].left ? "start" : "middle"}">${parts.map(([text, kind]) => `<tspan fill="${palette[kind] ?? palette.faint}">${safe(text)}</tspan>`).join("")}</text>`;
  }).join("") : "";
  return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${marked ? 3 : 1.4}"${dashes} marker-end="url(#head)"/>${labels}`;
}

export function svgOf(graph) {
  const { scene, arrowMarks } = graph, [left, top, right, bottom] = bounds(scene).map(Math.round);
  const parts = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="${left} ${top} ${right - left} ${bottom - top}" width="${right - left}" height="${bottom - top}" font-family="system-ui, sans-serif">`,
    `<defs><marker id="head" orient="auto" markerWidth="9" markerHeight="8" refX="9" refY="4" markerUnits="userSpaceOnUse"><path d="M0 0L9 4L0 8z" fill="context-stroke"/></marker></defs>`,
    `<rect x="${left}" y="${top}" width="100%" height="100%" fill="${palette.paper}"/>`];
  for (let at = 0; at < scene.source.length; at++) parts.push(arrow(scene, at, arrowMarks.get(at)));
  for (let at = 0; at < scene.x.length; at++) parts.push(node(scene, at, graph.goals.has(at)));
  return `${parts.join("\n")}\n</svg>\n`;
}

export function saveSvg(graph) { download(name("svg"), svgOf(graph), "image/svg+xml"); }
