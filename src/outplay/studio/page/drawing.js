// Drawing a scene on a canvas: lines first, nodes over them, texts where there is room to read them.
import { palette, scale } from "./colours.js";
import { line } from "./geometry.js";

const MARKS = { trace: "unsure", strategy: "input", blocking: "bad", found: "good", hover: "ink", selected: "ink" };
const LINES = ["strategy", "trace", "blocking", "found", "hover"];
const NAMES_FROM = 0.5, LABELS_FROM = 0.75, ALL_LABELS_FROM = 1.6, HEADS_FROM = 0.3, SHAPES_FROM = 0.12;
const ends = new Float64Array(6);

function visible(scene, [left, top, right, bottom]) {
  const found = [];
  for (let at = 0; at < scene.x.length; at++)
    if (scene.x[at] >= left && scene.x[at] <= right && scene.y[at] >= top && scene.y[at] <= bottom) found.push(at);
  return found;
}

function outline(pen, scene, node, grow = 0) {
  const x = scene.x[node], y = scene.y[node], w = scene.width[node] / 2 + grow, t = scene.height[node] / 2 + grow;
  if (scene.kind[node] === 1) {
    const tip = scene.drawn.length ? Math.min(w, t * 1.24) : w;
    pen.moveTo(x - w, y); pen.lineTo(x - w + tip, y - t); pen.lineTo(x + w - tip, y - t);
    pen.lineTo(x + w, y); pen.lineTo(x + w - tip, y + t); pen.lineTo(x - w + tip, y + t); pen.closePath();
  } else if (scene.kind[node] === 3) {
    pen.roundRect(x - w, y - t, 2 * w, 2 * t, 4);
  } else {
    pen.roundRect(x - w, y - t, 2 * w, 2 * t, t);
  }
}

function looks(scene, node, goal, tinted, tones) {
  if (tinted) {
    const step = tinted[node];
    return step === 255 ? [palette.state_fill, palette.faint] : [tones[step], palette.faint];
  }
  const kind = scene.kind[node];
  if (goal) return [palette.goal_fill, palette.good];
  if (kind === 1) return [palette.system_fill, palette.output];
  if (kind === 2) return [palette.bad_fill, palette.bad];
  if (kind === 3) return [palette.group_fill, palette.faint];
  return [palette.tester_fill, palette.input];
}

function head(pen, x, y, dx, dy, size) {
  pen.moveTo(x, y);
  pen.lineTo(x - dx * size - dy * size * 0.45, y - dy * size + dx * size * 0.45);
  pen.lineTo(x - dx * size + dy * size * 0.45, y - dy * size - dx * size * 0.45);
  pen.closePath();
}

function trace(pen, drawn) {
  pen.moveTo(...drawn.path[0]);
  for (const step of drawn.path.slice(1)) step.length === 2 ? pen.lineTo(...step) : pen.bezierCurveTo(...step);
}

function lineOf(pen, scene, arrow) {
  if (scene.drawn.length) { trace(pen, scene.drawn[arrow]); return; }
  if (line(scene, arrow, ends)) { pen.moveTo(ends[0], ends[1]); pen.lineTo(ends[2], ends[3]); return; }
  const at = scene.source[arrow], t = scene.height[at] / 2, x = scene.x[at], y = scene.y[at] - t;
  pen.moveTo(x - 7, y); pen.bezierCurveTo(x - 24, y - 30, x + 24, y - 30, x + 7, y);
}

function headOf(pen, scene, arrow, size) {
  if (scene.drawn.length) {
    const drawn = scene.drawn[arrow], tip = drawn.path.at(-1).slice(-2);
    head(pen, ...tip, ...drawn.head, size);
  } else if (line(scene, arrow, ends)) head(pen, ends[2], ends[3], ends[4], ends[5], size);
  else head(pen, scene.x[scene.source[arrow]] + 7, scene.y[scene.source[arrow]] - scene.height[scene.source[arrow]] / 2, -0.5, 0.86, size);
}

function within(scene, arrow, [left, top, right, bottom]) {
  const from = scene.source[arrow], to = scene.target[arrow];
  return Math.max(scene.x[from], scene.x[to]) >= left && Math.min(scene.x[from], scene.x[to]) <= right
    && Math.max(scene.y[from], scene.y[to]) >= top && Math.min(scene.y[from], scene.y[to]) <= bottom;
}

// Draw the scene; `state` has the camera, marks by node and arrow, and tints by node. Returns how much was drawn.
export function draw(pen, scene, state) {
  const { camera, ratio, nodeMarks, underMarks, arrowMarks, goals, left, dim, tinted, plain } = state, zoom = camera.scale;
  const slack = scene.drawn.length ? 4000 : 200;
  const box = camera.view(80 / Math.max(zoom, 0.1)), far = camera.view(slack);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.fillStyle = palette.paper;
  pen.fillRect(0, 0, camera.width, camera.height);
  pen.setTransform(ratio * zoom, 0, 0, ratio * zoom, ratio * (camera.width / 2 - camera.x * zoom), ratio * (camera.height / 2 - camera.y * zoom));
  const arrows = [];
  for (let at = 0; at < scene.source.length; at++) if (within(scene, at, scene.drawn.length ? far : box)) arrows.push(at);
  const nodes = visible(scene, box);
  pen.lineJoin = "round";
  drawLines(pen, scene, arrows, zoom, dim);
  for (const style of LINES) drawMarked(pen, scene, arrows, arrowMarks, style, zoom);
  drawNodes(pen, scene, nodes, { zoom, dim, nodeMarks, underMarks, goals, tinted, tones: tinted && scale() });
  if (!plain && zoom >= LABELS_FROM) {
    const told = scene.drawn.length || zoom >= ALL_LABELS_FROM ? arrows : arrows.filter(arrow => arrowMarks.has(arrow));
    drawLabels(pen, scene, told, arrowMarks, dim, box);
  }
  if (!plain && zoom >= NAMES_FROM) drawNames(pen, scene, nodes, dim, nodeMarks, goals);
  drawStart(pen, scene, zoom);
  if (left) drawLeft(pen, scene, left, zoom);
  return { nodes: nodes.length, arrows: arrows.length };
}

function drawLines(pen, scene, arrows, zoom, dim) {
  pen.globalAlpha = dim ? 0.18 : !scene.drawn.length && scene.source.length > 600 ? 0.38 : 0.9;
  pen.strokeStyle = pen.fillStyle = palette.line;
  pen.lineWidth = Math.max(1.4, 0.7 / zoom);
  const full = [], free = [];
  for (const arrow of arrows) (scene.arrowFlags[arrow] & 1 && zoom > 0.25 ? free : full).push(arrow);
  for (const [some, dashes] of [[full, []], [free, [5, 4]]]) {
    pen.setLineDash(dashes);
    pen.beginPath();
    for (const arrow of some) lineOf(pen, scene, arrow);
    pen.stroke();
  }
  pen.setLineDash([]);
  if (zoom >= HEADS_FROM) {
    pen.beginPath();
    for (const arrow of arrows) headOf(pen, scene, arrow, 9);
    pen.fill();
  }
  pen.globalAlpha = 1;
}

function drawMarked(pen, scene, arrows, arrowMarks, style, zoom) {
  const chosen = arrows.filter(arrow => arrowMarks.get(arrow) === style);
  if (!chosen.length) return;
  pen.strokeStyle = pen.fillStyle = palette[MARKS[style]];
  pen.lineWidth = Math.max(3, 1.6 / zoom);
  pen.setLineDash(style === "blocking" ? [5, 4] : []);
  pen.beginPath();
  for (const arrow of chosen) lineOf(pen, scene, arrow);
  pen.stroke();
  pen.setLineDash([]);
  pen.beginPath();
  for (const arrow of chosen) headOf(pen, scene, arrow, Math.max(10, 5 / zoom));
  pen.fill();
}

function drawNodes(pen, scene, nodes, { zoom, dim, nodeMarks, underMarks, goals, tinted, tones }) {
  const groups = new Map();
  for (const node of nodes) {
    const marked = nodeMarks.has(node), goal = goals.has(node), dashed = scene.kind[node] === 2 && !goal;
    const [fill, stroke] = looks(scene, node, goal, tinted, tones), key = `${fill} ${stroke} ${dim && !marked} ${dashed} ${goal}`;
    if (!groups.has(key)) groups.set(key, [fill, stroke, dim && !marked, dashed, goal, []]);
    groups.get(key)[5].push(node);
  }
  drawHalos(pen, scene, nodes, underMarks, zoom);
  drawHalos(pen, scene, nodes, nodeMarks, zoom);
  for (const [fill, stroke, back, dashed, goal, members] of groups.values()) {
    pen.globalAlpha = back ? 0.28 : 1;
    pen.fillStyle = zoom < SHAPES_FROM ? stroke : fill;
    pen.strokeStyle = stroke;
    pen.lineWidth = Math.max(goal ? 3.5 : 2, 0.8 / zoom);
    pen.setLineDash(dashed ? [5, 4] : []);
    pen.beginPath();
    if (zoom < SHAPES_FROM) {
      const least = 2.2 / zoom;
      for (const node of members) {
        const w = Math.max(scene.width[node] * 0.8, least), t = Math.max(scene.height[node] * 0.8, least);
        pen.rect(scene.x[node] - w / 2, scene.y[node] - t / 2, w, t);
      }
      pen.fill();
    } else {
      for (const node of members) outline(pen, scene, node);
      pen.fill();
      pen.stroke();
    }
  }
  pen.setLineDash([]);
  pen.globalAlpha = 1;
}

function drawHalos(pen, scene, nodes, nodeMarks, zoom) {
  if (!nodeMarks.size) return;
  for (const node of nodes) {
    const style = nodeMarks.get(node);
    if (!style) continue;
    const sharp = style === "hover" || style === "selected";
    pen.globalAlpha = sharp ? 0.9 : 0.45;
    pen.strokeStyle = palette[MARKS[style]];
    pen.lineWidth = sharp ? Math.max(2, 1.5 / zoom) : Math.max(8, 4 / zoom);
    pen.beginPath();
    outline(pen, scene, node, sharp ? Math.max(5, 3 / zoom) : 2);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

function drawNames(pen, scene, nodes, dim, nodeMarks, goals) {
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (const node of nodes) {
    pen.globalAlpha = dim && !nodeMarks.has(node) ? 0.35 : 1;
    const note = scene.notes[node] ?? "", lines = scene.names[node].split("\n");
    const tall = 16 * lines.length + (note && scene.drawn.length ? 13 : 0);
    let y = scene.y[node] - tall / 2 + 8;
    pen.fillStyle = palette.ink;
    pen.font = "13px system-ui, sans-serif";
    for (const words of lines) { pen.fillText(words, scene.x[node], y); y += 16; }
    if (!note) continue;
    pen.fillStyle = goals.has(node) ? palette.good : palette.faint;
    pen.font = "11px system-ui, sans-serif";
    pen.fillText(note, scene.x[node], scene.drawn.length ? y - 1 : scene.y[node] + scene.height[node] / 2 + 8);
  }
  pen.globalAlpha = 1;
}

const ROLES = { input: "input", output: "output", step: "unsure", plain: "faint", silence: "faint", number: "faint", more: "faint" };
function drawLabels(pen, scene, arrows, arrowMarks, dim, [left, top, right, bottom]) {
  pen.font = "12px ui-monospace, monospace";
  pen.strokeStyle = palette.paper;
  pen.lineWidth = 3;
  for (const arrow of arrows) {
    pen.globalAlpha = dim && !arrowMarks.has(arrow) ? 0.3 : 1;
    if (scene.drawn.length) {
      const drawn = scene.drawn[arrow], [x, y] = drawn.text;
      if (x < left - 300 || x > right || y < top || y > bottom) continue;
      drawn.lines.forEach((parts, row) => writeParts(pen, parts, x, y + 12 + row * 15, drawn.left));
      continue;
    }
    if (!line(scene, arrow, ends)) continue;
    const x = ends[0] + (ends[2] - ends[0]) * 0.4, y = ends[1] + (ends[3] - ends[1]) * 0.4;
    if (x < left || x > right || y < top || y > bottom) continue;
    const text = scene.count[arrow] > 1 ? `${scene.labels[scene.label[arrow]]} +${scene.count[arrow] - 1}` : scene.labels[scene.label[arrow]];
    if (!text) continue;
    const kind = { "?": "input", "!": "output" }[text[0]] ?? "plain";
    writeParts(pen, [[text.length > 26 ? `${text.slice(0, 17)}…${text.slice(-8)}` : text, kind]], x, y + 3, false);
  }
  pen.globalAlpha = 1;
}

function writeParts(pen, parts, x, y, left) {
  pen.textBaseline = "alphabetic";
  const whole = parts.map(part => part[0]).join("");
  let at = left ? x : x - pen.measureText(whole).width / 2;
  pen.textAlign = "left";
  for (const [text, kind] of parts) {
    pen.strokeText(text, at, y);
    pen.fillStyle = palette[ROLES[kind] ?? "ink"];
    pen.fillText(text, at, y);
    at += pen.measureText(text).width;
  }
}

function drawStart(pen, scene, zoom) {
  const at = scene.flags.findIndex(flags => flags & 2);
  if (at < 0) return;
  const down = scene.rightwards === false;
  const x = scene.x[at] - (down ? 0 : scene.width[at] / 2 + 2), y = scene.y[at] - (down ? scene.height[at] / 2 + 2 : 0);
  pen.strokeStyle = pen.fillStyle = palette.line;
  pen.lineWidth = Math.max(1.6, 1 / zoom);
  pen.beginPath();
  down ? (pen.moveTo(x, y - 28), pen.lineTo(x, y - 6)) : (pen.moveTo(x - 28, y), pen.lineTo(x - 6, y));
  pen.stroke();
  pen.beginPath();
  head(pen, x, y, down ? 0 : 1, down ? 1 : 0, Math.max(9, 4 / zoom));
  pen.fill();
}

// The step that left the model, as an arrow that leads nowhere: out of its state, red, with its label.
function drawLeft(pen, scene, { node, label }, zoom) {
  const size = 1 / Math.min(1, Math.max(zoom, 0.05)), x = scene.x[node] + scene.width[node] * 0.3, y = scene.y[node] - scene.height[node] / 2 - 2;
  const ex = x + 26 * size, ey = y - 30 * size;
  pen.strokeStyle = pen.fillStyle = palette.bad;
  pen.lineWidth = 3 * size;
  pen.setLineDash([6 * size, 4 * size]);
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(ex, ey);
  pen.stroke();
  pen.setLineDash([]);
  pen.font = `600 ${13 * size}px ui-monospace, monospace`;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  pen.strokeStyle = palette.paper;
  pen.lineWidth = 4 * size;
  pen.strokeText(`✗ ${label.slice(0, 60)}`, ex + 3 * size, ey - 6 * size);
  pen.fillText(`✗ ${label.slice(0, 60)}`, ex + 3 * size, ey - 6 * size);
}
