// The colours of the page as the canvas needs them, read from the style sheet that all pages and pictures share.
const NAMES = ["paper", "ink", "faint", "line", "input", "output", "good", "bad", "unsure", "state_fill", "tester_fill",
  "system_fill", "goal_fill", "bad_fill", "group_fill"];

export const palette = {};

export function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of NAMES) palette[name] = style.getPropertyValue(`--${name}`).trim();
  return palette;
}

function parts(colour) {
  return [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16));
}

export function mixed(from, to, share) {
  const [low, high] = [parts(from), parts(to)];
  return `#${low.map((one, at) => Math.round(one + (high[at] - one) * share).toString(16).padStart(2, "0")).join("")}`;
}

const STEPS = 12;
// A scale from bad over unsure to good, in as many colours as can be told apart.
export function scale() {
  const { bad, unsure, good, paper } = palette;
  return Array.from({ length: STEPS + 1 }, (_, at) => {
    const share = at / STEPS;
    const strong = share < 0.5 ? mixed(bad, unsure, share * 2) : mixed(unsure, good, share * 2 - 1);
    return mixed(paper, strong, 0.62);
  });
}

export const scaleStep = share => Math.round(Math.min(1, Math.max(0, share)) * STEPS);

export function look() {
  return document.documentElement.dataset.look ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

export function switchLook() {
  document.documentElement.dataset.look = look() === "dark" ? "light" : "dark";
  readColours();
}
