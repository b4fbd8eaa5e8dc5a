"""The forecast as one self-contained page: a table to sort and to filter, with a bar for each probability."""

from __future__ import annotations

from fractions import Fraction

from outplay.pages.page_frame import coded, page, safe
from outplay.strategy.forecast.entries import Entry, Forecast
from outplay.strategy.forecast.sentences import verdict_of
from outplay.strategy.number_format import format_digits, format_rounded

_CLASSES = {"forced": "forced", "help": "needs help", "never": "impossible"}
_LAST = 1e15  # missing numbers are sorted behind all others


def forecast_page(forecast: Forecast, *, title: str, assumption: str = "") -> str:
    """Make the page of a forecast."""
    rows = "".join(_row(place, entry, forecast) for place, entry in enumerate(_goals_first(forecast)))
    under = f" under <code>{safe(assumption)}</code>" if assumption else ""
    body = (
        f"<h1>Forecast of {safe(title)}</h1><p>What a tester can count on{under}, before anything is played.</p>"
        f"{_cautions(forecast)}{_chips(forecast)}"
        f"<table><thead>{_headed(forecast, '<button>{}</button>')}</thead><tbody>{rows}</tbody></table>{_LEGEND}"
    )
    return page(f"outplay: forecast of {title}", body, "report.css", "table.css", "forecast.css", script="forecast.js")


def forecast_table(forecast: Forecast, most: int) -> str:
    """Write the table of a forecast, with at most this many rows: goals first."""
    entries = _goals_first(forecast)[:most]
    rows = "".join(_row(place, entry, forecast) for place, entry in enumerate(entries))
    return f"{_cautions(forecast)}<table><thead>{_headed(forecast, '{}')}</thead><tbody>{rows}</tbody></table>"


def _cautions(forecast: Forecast) -> str:
    """Return what to read first: that the forecast is of the grouped model."""
    return "".join(f"<p>{safe(text[0].upper() + text[1:])}.</p>" for text in forecast.game.origin.cautions)


def _goals_first(forecast: Forecast) -> list[Entry]:
    return sorted(forecast.entries, key=lambda entry: entry.kind != "goal")


def _headed(forecast: Forecast, form: str) -> str:
    """The row of heads, those of numbers above them."""
    shown = [form.format(safe(head)) for head in _heads(forecast)]
    return "<tr>" + "".join(f"<th>{head}" for head in shown[:2]) + "".join(f"<th class=n>{head}" for head in shown[2:])


def _heads(forecast: Forecast) -> tuple[str, ...]:
    spent = "expected moves" if forecast.counts_moves else "expected cost"
    chance = f"probability within {forecast.steps}"
    return "target", "what to expect", "moves", *_cost_head(forecast), "help", chance, spent


def _cost_head(forecast: Forecast) -> tuple[str, ...]:
    """Head the column of costs; where every move costs 1 it would only repeat the moves."""
    return () if forecast.counts_moves else ("cost",)


_LEGEND = (
    "<p class=legend><b>Forced</b>: reached whatever the system does, within the given number of moves and at no more "
    "than the cost. <b>Needs help</b>: the system, free to do otherwise, has to do what you wish, the given number of "
    "times. <b>Impossible</b>: no way leads there. Probabilities that the model does not give are taken as equal."
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
        f"<td><code>{safe(entry.name)}</code>{_about(entry)}"
        f"<td data-key={place}><b>{safe(first)}</b>{coded(colon + rest)}"
        f"{_cell('moves', forced.moves if forced else None)}"
        f"{''.join(_cell(head, forced.cost if forced else None) for head in _cost_head(forecast))}"
        f"{_cell('help', entry.jokers)}"
        f"<td class=n data-name=probability data-key={_LAST if luck is None else luck}>{bar}"
        f"{_cell('expected', dear)}</tr>"
    )


def _about(entry: Entry) -> str:
    return f"<br><small>{safe(entry.about)}</small>" if entry.about else ""


def _share(luck: float) -> str:
    return "&gt;0.999" if 0.999 < luck < 1.0 else f"{luck:.3g}"


def _cell(name: str, value: float | Fraction | None) -> str:
    key = f"{_LAST:g}" if value is None else format_digits(value, 6)
    return f"<td class=n data-name={name} data-key={key}>{'' if value is None else format_rounded(value)}"
