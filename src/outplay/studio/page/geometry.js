// Where things are: the camera, a grid to find nodes by, and where lines meet outlines.
export class Camera {
  x = 0; y = 0; scale = 1;  // the point of the world in the middle, and pixels for one of its units
  width = 1; height = 1;

  toScreen(x, y) { return [(x - this.x) * this.scale + this.width / 2, (y - this.y) * this.scale + this.height / 2]; }
  toWorld(x, y) { return [(x - this.width / 2) / this.scale + this.x, (y - this.height / 2) / this.scale + this.y]; }

  zoomAt(x, y, factor) {
    const [wx, wy] = this.toWorld(x, y);
    this.scale = Math.min(6, Math.max(0.004, this.scale * factor));
    this.x = wx - (x - this.width / 2) / this.scale;
    this.y = wy - (y - this.height / 2) / this.scale;
  }

  fit([left, top, right, bottom], room = 40) {
    const wide = Math.max(right - left, 1), tall = Math.max(bottom - top, 1);
    this.scale = Math.min(1.25, (this.width - room) / wide, (this.height - room) / tall);
    this.x = (left + right) / 2;
    this.y = (top + bottom) / 2;
  }

  view(room = 0) {
    const w = this.width / 2 / this.scale + room, t = this.height / 2 / this.scale + room;
    return [this.x - w, this.y - t, this.x + w, this.y + t];
  }
}

const EDGE = 30, LETTER = 7.4, LINE = 15;  // room around a graph, and of the letters and lines of its labels
export function bounds(scene) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  const hold = (x, y, w = 0, t = 0) => {
    box[0] = Math.min(box[0], x - w);
    box[1] = Math.min(box[1], y - t);
    box[2] = Math.max(box[2], x + w);
    box[3] = Math.max(box[3], y + t);
  };
  for (let at = 0; at < scene.x.length; at++) hold(scene.x[at], scene.y[at], scene.width[at] / 2 + EDGE, scene.height[at] / 2 + EDGE);
  for (const { path, text: [x, y], left, lines } of scene.drawn) {
    for (const step of path) for (let at = 0; at < step.length; at += 2) hold(step[at], step[at + 1], 8, 8);
    const wide = LETTER * Math.max(...lines.map(parts => parts.reduce((sum, [text]) => sum + text.length, 0)), 0);
    hold(left ? x + wide / 2 : x, y + LINE * lines.length / 2, wide / 2, LINE * lines.length / 2);
  }
  return box[0] === Infinity ? [0, 0, 1, 1] : box;
}

const CELL = 160;
export class Grid {
  constructor(scene) {
    this.scene = scene;
    this.cells = new Map();
    for (let at = 0; at < scene.x.length; at++) {
      const w = scene.width[at] / 2, t = scene.height[at] / 2;
      for (let column = Math.floor((scene.x[at] - w) / CELL); column <= Math.floor((scene.x[at] + w) / CELL); column++)
        for (let row = Math.floor((scene.y[at] - t) / CELL); row <= Math.floor((scene.y[at] + t) / CELL); row++) {
          const key = column * 100003 + row;
          if (!this.cells.has(key)) this.cells.set(key, []);
          this.cells.get(key).push(at);
        }
    }
  }

  // The node at a point of the world, or -1.
  at(x, y) {
    const { scene } = this;
    let best = -1, nearest = Infinity;
    for (const node of this.cells.get(Math.floor(x / CELL) * 100003 + Math.floor(y / CELL)) ?? []) {
      const dx = Math.abs(x - scene.x[node]), dy = Math.abs(y - scene.y[node]);
      if (dx <= scene.width[node] / 2 && dy <= scene.height[node] / 2 && dx + dy < nearest) {
        nearest = dx + dy;
        best = node;
      }
    }
    return best;
  }
}

// How far the outline of a node is from its middle, in the direction of a unit vector.
export function reach(scene, node, dx, dy) {
  const w = scene.width[node] / 2, t = scene.height[node] / 2;
  if (scene.kind[node] === 1) return 1 / (Math.abs(dx) / w + Math.abs(dy) / t + 1e-9);
  if (scene.kind[node] === 3) return Math.min(w / (Math.abs(dx) + 1e-9), t / (Math.abs(dy) + 1e-9));
  return 1 / Math.sqrt((dx / w) ** 2 + (dy / t) ** 2);
}

const SIDE = 4;  // lines there and back run beside each other
// Both ends of the straight line of an arrow, or null for a loop.
export function line(scene, arrow, into) {
  const from = scene.source[arrow], to = scene.target[arrow];
  if (from === to) return null;
  let dx = scene.x[to] - scene.x[from], dy = scene.y[to] - scene.y[from];
  const length = Math.hypot(dx, dy) || 1;
  dx /= length; dy /= length;
  const sx = -dy * SIDE, sy = dx * SIDE;
  const leave = reach(scene, from, dx, dy), arrive = reach(scene, to, dx, dy) + 2;
  into[0] = scene.x[from] + dx * leave + sx;
  into[1] = scene.y[from] + dy * leave + sy;
  into[2] = scene.x[to] - dx * arrive + sx;
  into[3] = scene.y[to] - dy * arrive + sy;
  into[4] = dx;
  into[5] = dy;
  return into;
}
