"""The forecast as one self-contained page: a table to sort and to filter, with a bar for each probability."""

from __future__ import annotations

from fractions import Fraction
from html import escape

from outplay.strategy.forecast.entries import Entry, Forecast
from outplay.strategy.forecast.sentences import number, verdict_of
from outplay.verdict.table import Table

_COLOURS = "--line: #8884; --soft: #8881; --forced: #2e7d32; --help: #b26a00; --never: #c62828; --bar: #2463c4;"
_RULES = """
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: .4rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th button { font: inherit; font-weight: 600; border: 0; background: none; color: inherit; padding: 0; cursor: pointer; }
th[aria-sort=ascending] button::after { content: " ↑"; }
th[aria-sort=descending] button::after { content: " ↓"; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
small { opacity: .7; overflow-wrap: anywhere; }
code { font: .95em ui-monospace, monospace; overflow-wrap: anywhere; }
.forced b { color: var(--forced); }
.help b { color: var(--help); }
.never b { color: var(--never); }
.bar { display: inline-block; width: 4rem; height: .6rem; border-radius: .3rem; background: var(--line);
  overflow: hidden; margin-right: .4rem; vertical-align: baseline; }
.bar i { display: block; height: 100%; background: var(--bar); }
"""
_STYLE = (
    f":root {{ color-scheme: light dark; {_COLOURS} }}{_RULES}"
    + """
@media (prefers-color-scheme: dark) { :root { --forced: #7ed98a; --help: #ffb74d; --never: #ff7b72; --bar: #79aaff; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; overflow-wrap: anywhere; }
h1 + p, .legend { opacity: .8; margin-top: 0; }
.chips { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0; }
.chips button, .chips input { font: inherit; padding: .3rem .8rem; border: 1px solid var(--line); border-radius: 1rem;
  background: var(--soft); color: inherit; }
.chips button { cursor: pointer; }
.chips button[aria-pressed=true] { border-color: currentColor; font-weight: 600; }
.chips input { flex: 1 1 12rem; min-width: 0; }
@media (max-width: 45rem) {
  thead { position: absolute; left: -99rem; }
  tr, td { display: block; border: 0; padding: 0; }
  tr { border-bottom: 1px solid var(--line); padding: .7rem 0; }
  td.n { display: inline-block; text-align: left; margin-right: 1rem; opacity: .85; }
  td.n::before { content: attr(data-name) " "; opacity: .7; }
  td.n:empty { display: none; }
}
"""
)

_SCRIPT = """
const body = document.querySelector("tbody"), rows = [...body.rows];
const chips = [...document.querySelectorAll("[data-is]")];
const search = document.querySelector("input"), shown = document.querySelector("output");
function filter() {
  const words = search.value.toLowerCase(), on = group => chips.filter(c => c.dataset.of === group
    && c.getAttribute("aria-pressed") === "true").map(c => c.dataset.is);
  const kinds = on("kind"), classes = on("class");
  let count = 0;
  for (const row of rows) {
    row.hidden = !(kinds.length === 0 || kinds.includes(row.dataset.kind))
      || !(classes.length === 0 || classes.includes(row.className)) || !row.textContent.toLowerCase().includes(words);
    count += !row.hidden;
  }
  shown.value = count + " of " + rows.length + " targets";
}
function sort(head, column) {
  const down = head.getAttribute("aria-sort") === "ascending";
  for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const key = row => row.cells[column].dataset.key ?? row.cells[column].textContent;
  const compare = (a, b) => isNaN(key(a)) || isNaN(key(b)) ? key(a).localeCompare(key(b)) : key(a) - key(b);
  rows.sort((a, b) => down ? compare(b, a) : compare(a, b));
  body.append(...rows);
}
search.addEventListener("input", filter);
chips.forEach(chip => chip.addEventListener("click", () => {
  chip.setAttribute("aria-pressed", chip.getAttribute("aria-pressed") !== "true");
  filter();
}));
document.querySelectorAll("th").forEach((head, column) =>
  head.firstElementChild.addEventListener("click", () => sort(head, column)));
filter();
"""

_CLASSES = {"forced": "forced", "help": "needs help", "never": "impossible"}
_LAST = 1e15  # missing numbers are sorted behind all others


def forecast_page(forecast: Forecast, *, title: str, assumption: str = "") -> str:
    """Make the page."""
    rows = "".join(_row(place, entry, forecast) for place, entry in enumerate(forecast.entries))
    under = f" under <code>{escape(assumption)}</code>" if assumption else ""
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>outplay: forecast of {escape(title)}</title><style>{_STYLE}</style>"
        f"<h1>Forecast of {escape(title)}</h1><p>What a tester can count on{under}, before anything is played.</p>"
        f"{_chips(forecast)}"
        f"<table><thead>{_headed(forecast, '<button>{}</button>')}</thead>"
        f"<tbody>{rows}</tbody></table>{_LEGEND}<script>{_SCRIPT}</script></html>\n"
    )


def forecast_table(forecast: Forecast, most: int) -> Table:
    """The table of the page alone, with at most so many rows: goals first, as they are what was asked for."""
    entries = sorted(forecast.entries, key=lambda entry: entry.kind != "goal")[:most]
    rows = "".join(_row(place, entry, forecast) for place, entry in enumerate(entries))
    return Table(_COLOURS, _RULES, f"<table><thead>{_headed(forecast, '{}')}</thead><tbody>{rows}</tbody></table>")


def _headed(forecast: Forecast, form: str) -> str:
    """The row of heads, those of numbers above them."""
    shown = [form.format(escape(head)) for head in _heads(forecast)]
    return "<tr>" + "".join(f"<th>{head}" for head in shown[:2]) + "".join(f"<th class=n>{head}" for head in shown[2:])


def _heads(forecast: Forecast) -> tuple[str, ...]:
    spent = "expected moves" if forecast.counts_moves else "expected cost"
    likely = f"probability within {forecast.steps}"
    return "target", "what to expect", "moves", *_cost_head(forecast), "help", likely, spent


def _cost_head(forecast: Forecast) -> tuple[str, ...]:
    """Where every move costs 1 a column of costs would only say the moves again."""
    return () if forecast.counts_moves else ("cost",)


_LEGEND = (
    "<p class=legend><b>Forced</b>: reached whatever the system does, within so many moves and at no more than the "
    "cost. <b>Needs help</b>: the system, free to do otherwise, has to do what you wish, so many times. "
    "<b>Impossible</b>: no way leads there. Probabilities that the model does not give are taken as equal."
)


def _chips(forecast: Forecast) -> str:
    kinds = dict.fromkeys(entry.kind for entry in forecast.entries)
    classes = dict.fromkeys(_class(entry) for entry in forecast.entries)
    chips = [_chip("class", name, _CLASSES[name]) for name in classes] if len(classes) > 1 else []
    chips += [_chip("kind", kind, f"{kind}s") for kind in kinds] if len(kinds) > 1 else []
    search = "<input type=search placeholder='find …' aria-label=find>"
    return f"<div class=chips>{''.join(chips)}{search}</div><output></output>"


def _chip(group: str, value: str, text: str) -> str:
    return f"<button data-of={group} data-is={value} aria-pressed=false>{text}</button>"


def _class(entry: Entry) -> str:
    return "forced" if entry.forced else "never" if entry.impossible else "help"


def _row(place: int, entry: Entry, forecast: Forecast) -> str:
    text, forced = verdict_of(entry, forecast), entry.forced
    first, colon, rest = text.partition(":")
    luck, dear = entry.probability, entry.expected_cost
    bar = "" if luck is None else f"<span class=bar><i style='width:{100 * luck:.1f}%'></i></span>{_share(luck)}"
    return (
        f"<tr class={_class(entry)} data-kind={entry.kind}>"
        f"<td><code>{escape(entry.name)}</code>{_about(entry)}"
        f"<td data-key={place}><b>{escape(first)}</b>{escape(colon + rest)}"
        f"{_cell('moves', forced.moves if forced else None)}"
        f"{''.join(_cell(head, forced.cost if forced else None) for head in _cost_head(forecast))}"
        f"{_cell('help', entry.jokers)}"
        f"<td class=n data-name=probability data-key={_LAST if luck is None else luck}>{bar}"
        f"{_cell('expected', dear)}</tr>"
    )


def _about(entry: Entry) -> str:
    return f"<br><small>{escape(entry.about)}</small>" if entry.about else ""


def _share(luck: float) -> str:
    return "&gt;0.999" if 0.999 < luck < 1.0 else f"{luck:.3g}"


def _cell(name: str, value: float | Fraction | None) -> str:
    key = _LAST if value is None else float(value)
    return f"<td class=n data-name={name} data-key={key:g}>{'' if value is None else number(value)}"
