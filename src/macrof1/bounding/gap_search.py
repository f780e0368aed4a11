"""The search behind `largest_gap`: how to spread predictions over classes, and a limit that no spread can exceed.

A class adds s (u - λ)² to half of n times the gap, with u = g / (g + p), s = tp (1/p + 1/g), tp = min(g, p), and λ the
weighted mean of u. A class with p >= g is a hub (recall 1), one with p <= g a source (precision 1).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

# With more classes than this, only some numbers of hubs are tried, and one limit serves all of them.
_MANY = 40
# Distinct class sizes times numbers of hubs: fewer numbers are tried if there are very many sizes.
_MOST_WORK = 20_000
# Numbers that agree to within this count as equal.
MEET = 1e-9
# Steps of a pattern search in two directions.
_AROUND = tuple(product((-1, 0, 1), repeat=2))
# An upper bound on the rounding error of a few thousand float operations.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Start:
    """Good predictions for a given number of hubs, and their multipliers."""

    predicted: tuple[int, ...]
    hubs: int
    centre: float
    price: float


def float_gap(gold: Sequence[int], predicted: Sequence[int]) -> float:
    """Return the gap of given margins as a weighted variance."""
    parts = [(_weight(g, p), g / (g + p)) for g, p in zip(gold, predicted, strict=True) if p]
    centre = math.fsum(s * u for s, u in parts) / math.fsum(s for s, _ in parts)
    return 2 * math.fsum(s * (u - centre) ** 2 for s, u in parts) / len(gold)


def _weight(g: float, p: float) -> float:
    """Return the precision plus recall of a class with as many true positives as possible."""
    return (p + g) / max(g, p)


def starts(gold: Sequence[int]) -> list[Start]:
    """For each number of hubs to try, make the smallest classes hubs and spread predictions with equal slopes."""
    n = len(gold)
    order = sorted(range(n), key=gold.__getitem__)
    tries = max(5, min(_MANY, _MOST_WORK // len(set(gold))))
    found = []
    centre = 0.5
    for k in sorted({round(1 + step * (n - 2) / (tries - 1)) for step in range(tries)}):
        hubs = order[:k]
        sizes = [gold[place] for place in hubs]
        # Each source is predicted once.
        room = sum(gold) - (n - k)
        real, centre, price = _allocation(sizes, [gold[place] for place in order[k:]], room, centre)
        predicted = [1] * n
        for place, whole in zip(hubs, _rounded(sizes, real, room), strict=True):
            predicted[place] = whole
        found.append(Start(tuple(predicted), k, centre, price))
    return found


def _best_hub(g: float, centre: float, price: float, most: float) -> float:
    """Return the predictions at which a hub's slope equals the price, between its gold count and `most`.

    In x = p / g the slope is h(x) / g with h(x) = 1 / (1 + x)² - (1 - λ)² / x²: past its maximum it falls like 1 / x².
    """
    bend = (1 - centre) ** 2
    root = abs(1 - centre) ** (2 / 3)
    high = most / g
    low = max(1.0, root / (1 - root)) if root < 1 else high
    target = price * g

    def h(x: float) -> float:
        return 1 / (1 + x) ** 2 - bend / x**2

    if low >= high or h(high) >= target:
        return most
    if h(low) <= target:
        return low * g
    # 1 / √h is almost a straight line, so Newton's method needs few steps.
    wanted = 1 / math.sqrt(target)
    x = min(max(low, math.sqrt((1 - bend) / target)), high)
    for _ in range(30):
        value = h(x)
        slope = -2 / (1 + x) ** 3 + 2 * bend / x**3
        moved = x + (wanted - 1 / math.sqrt(value)) / (-0.5 * slope * value**-1.5) if slope else low
        x, before = min(max(moved, (low + x) / 2), high), x
        if math.isclose(x, before):
            return x * g
    return x * g


def _allocation(
    hubs: Sequence[int], sources: Sequence[int], room: float, centre: float
) -> tuple[list[float], float, float]:
    """Spread what the sources leave over the hubs with equal slopes; return it with the centre and the price."""
    sizes = Counter(hubs)
    price = math.inf
    fixed = [(times * _weight(g, 1), g / (g + 1)) for g, times in Counter(sources).items()]
    spread: dict[int, float] = {}
    for _ in range(8):
        price = _price(sizes, room, centre, price)
        spread = {g: _best_hub(g, centre, price, room) for g in sizes}
        parts = [*fixed, *((sizes[g] * _weight(g, p), g / (g + p)) for g, p in spread.items())]
        moved = math.fsum(s * u for s, u in parts) / math.fsum(s for s, _ in parts)
        if math.isclose(moved, centre, abs_tol=1e-6):
            break
        centre = moved
    return [spread[g] for g in hubs], centre, price


def _price(sizes: Mapping[int, int], room: float, centre: float, guess: float) -> float:
    """Return the price at which all hubs together take all there is; `sizes` says how many hubs have each size."""
    high = 1.0 / min(sizes)
    low = 1e-18 * high
    price = min(max(guess, low), high)
    for _ in range(60):
        taken = math.fsum(count * _best_hub(g, centre, price, room) for g, count in sizes.items())
        if taken > room:
            low = price
        else:
            high = price
        # What hubs take falls roughly like 1 / √price; where it does not, bisect in logarithms.
        better = price * (taken / room) ** 2
        price, before = better if low < better < high else math.sqrt(low * high), price
        if math.isclose(price, before):
            return price
    return price


def _rounded(hubs: Sequence[int], real: Sequence[float], room: int) -> list[int]:
    """Round the predictions of hubs to integers with the right sum, none below its gold count."""
    whole = [max(math.floor(p), g) for p, g in zip(real, hubs, strict=True)]
    left = room - sum(whole)
    places = range(len(hubs))
    each, more = divmod(max(left, 0), len(whole))
    by_rest = sorted(places, key=lambda place: whole[place] - real[place])
    whole = [rows + each for rows in whole]
    for place in by_rest[:more]:
        whole[place] += 1
    for place in sorted(places, key=lambda place: hubs[place] - whole[place]):
        taken = min(max(-left, 0), whole[place] - hubs[place])
        whole[place] -= taken
        left += taken
    return whole


def _parts(g: int, centre: float, price: float, total: int) -> tuple[float, float]:
    """Return the most that a class can add as a source and as a hub, less the cost of its predictions."""

    def value(p: float) -> float:
        return _weight(g, p) * (g / (g + p) - centre) ** 2 - price * p

    # As a source the value is convex in p, so an endpoint is best; p = 0 adds nothing.
    source = max(value(1), value(g), 0.0)
    hub = max(value(g), value(_best_hub(g, centre, price, total)), value(total))
    return source, hub


def limit(gold: Sequence[int], found: Sequence[Start], attained: float) -> float:
    """Return an upper limit for the gap over all predictions.

    For every centre λ and price ν, no choice exceeds (2/n) [ν N + Σ max(source, hub)]; with exactly k hubs none
    exceeds (2/n) [ν N + Σ source + the k largest (hub - source)], which is tighter but must be computed for every k.
    """
    best = max(found, key=lambda start: float_gap(gold, start.predicted))
    lowest = _lowest(gold, None, best, attained)
    if lowest - attained <= MEET or len(gold) > _MANY:
        return lowest
    highest = attained
    for start in found:
        # Only the worst number of hubs counts: the others can stop as soon as they are below it.
        highest = max(highest, _lowest(gold, start.hubs, start, highest))
    return min(lowest, highest)


def _lowest(gold: Sequence[int], hubs: int | None, start: Start, enough: float) -> float:
    """Lower a limit, convex in λ and ν, by a pattern search from the multipliers of an allocation.

    Every value along the way is a limit, so the search can stop as soon as one is low enough.
    """
    total, n, sizes = sum(gold), len(gold), Counter(gold)

    def at(lam: float, nu: float) -> float:
        sources, more = [], []
        for g, count in sizes.items():
            source, hub = _parts(g, lam, nu, total)
            sources.append(count * source)
            more += [count * max(hub - source, 0.0)] if hubs is None else [hub - source] * count
        chosen = more if hubs is None else sorted(more)[n - hubs :]
        return 2 * (nu * total + math.fsum(sources) + math.fsum(chosen)) / n + _ROUNDING

    best, centre, price = at(start.centre, start.price), start.centre, start.price
    step, unit = 0.1, 3 * max(start.price, 1 / total)
    while step > 1e-6 and best > enough + 2 * _ROUNDING:
        around = ((centre + side * step, price + up * step * unit) for side, up in _AROUND)
        lowest, centre, price = min((at(lam, nu), lam, nu) for lam, nu in around)
        if lowest == best:
            step /= 2
        best = lowest
    return best


def climbed(gold: Sequence[int], predicted: Sequence[int]) -> tuple[int, ...]:
    """Move predictions from class to class while the gap grows; steps halve down to 1."""
    n = len(gold)
    if n > 300:
        # One row more or less is not worth n² trials.
        return tuple(predicted)
    p = list(predicted)
    step = max(p)
    best = float_gap(gold, p)
    while step:
        giver, taker = _best_move(gold, p, step)
        rows = min(step, p[giver])
        trial = list(p)
        trial[giver], trial[taker] = p[giver] - rows, p[taker] + rows
        value = float_gap(gold, trial)
        if value > best + 1e-15:
            best, p = value, trial
        else:
            step //= 2
    return tuple(p)


def _best_move(gold: Sequence[int], p: Sequence[int], step: int) -> tuple[int, int]:
    """Return the giver and the taker of `step` predictions that give the largest gap."""
    places = range(len(gold))
    pairs: Iterable[tuple[int, int]] = product(places, places)
    if len(gold) > 45:
        # Many classes: only moves between the class with the most predictions and the others.
        top = max(places, key=p.__getitem__)
        pairs = [pair for place in places for pair in ((top, place), (place, top))]
    now = [_moments(g, x) for g, x in zip(gold, p, strict=True)]
    less = [_change(_moments(g, x - min(step, x)), m) for g, x, m in zip(gold, p, now, strict=True)]
    sums = [math.fsum(moment) for moment in zip(*now, strict=True)]

    def gap_after(pair: tuple[int, int]) -> float:
        giver, taker = pair
        rows = min(step, p[giver])
        more = _change(_moments(gold[taker], p[taker] + rows), now[taker])
        s, su, suu = (total + a + b for total, a, b in zip(sums, less[giver], more, strict=True))
        return suu - su * su / s

    return max(((giver, taker) for giver, taker in pairs if giver != taker and p[giver]), key=gap_after)


def _moments(g: int, p: int) -> tuple[float, float, float]:
    """Return s, s u and s u² of a class."""
    if not p:
        return 0.0, 0.0, 0.0
    s, u = _weight(g, p), g / (g + p)
    return s, s * u, s * u * u


def _change(after: tuple[float, ...], before: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(a - b for a, b in zip(after, before, strict=True))
