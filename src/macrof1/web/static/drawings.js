// Small drawings that follow every edit. All numbers come from the library; this file only places them.

import { fixed, isolated, score, svg } from "./dom.js";

export const widthOf = (target, most = 720) => Math.max(230, Math.min(most, target.clientWidth || 480));

export function frame(target, width, height, label) {
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  target.replaceChildren(drawing);
  return drawing;
}

// Shorten long names in the middle, since runs of one system differ at the end.
export function shorten(text, most = 14) {
  const letters = [...text];
  const end = Math.min(4, Math.floor(most / 3));
  return isolated(letters.length > most ? `${letters.slice(0, most - end - 1).join("")}…${letters.slice(-end).join("")}` : text);
}

const lettersIn = (text) => text.replaceAll(/[\u2068\u2069]/g, "").length;

// A text centred above a point, shifted as needed to stay inside the drawing.
function over(kind, x, y, width, text) {
  const half = 3.9 * lettersIn(text) + 4;
  return svg("text", { class: kind, x: Math.min(Math.max(x, half), Math.max(half, width - half)), y, "text-anchor": "middle" }, text);
}

// Two systems under each formula, and which is ahead: the first is filled, the second hollow. The axis is fixed where a
// slider moves the first.
export function lanes(target, answer, rival, { names = ["A", "B"], from = 0.65, to = 0.85 } = {}) {
  const width = widthOf(target);
  const [left, right] = [16, 16];
  const [first, second] = names.map((name) => shorten(name, Math.floor(width / 22)));
  const values = [answer, rival].flatMap((one) => [one.averaged_f1, one.f1_of_averages]);
  if (from === null) {
    const step = 0.05;
    from = Math.max(0, Math.floor((Math.min(...values) - 0.01) / step) * step);
    to = Math.min(1, Math.ceil((Math.max(...values) + 0.01) / step) * step);
  }
  const at = (value) => left + ((Math.min(to, Math.max(from, value)) - from) / (to - from)) * (width - left - right);
  const formulas = [["averaged", "averaged F1", "averaged_f1"], ["of-averages", "F1 of averages", "f1_of_averages"]];
  const told = formulas.map(([, name, key]) => `${name}: ${names[0]} ${score(answer[key])}, ${names[1]} ${score(rival[key])}`).join("; ");
  const drawing = frame(target, width, 190, told);
  formulas.forEach(([kind, name, key], index) => {
    const y = 50 + 80 * index;
    const [ours, theirs] = [answer[key], rival[key]];
    const ahead = ours > theirs ? first : ours < theirs ? second : "neither";
    drawing.append(svg("text", { class: `t-${kind}`, x: left, y: y - 35 }, `${name} prefers ${ahead}`));
    drawing.append(svg("line", { class: "line", x1: left, x2: width - right, y1: y, y2: y }));
    drawing.append(svg("circle", { class: `hollow-${kind}`, cx: at(theirs), cy: y, r: 7 }));
    drawing.append(svg("circle", { class: `mark-${kind}`, cx: at(ours), cy: y, r: 8 }));
    drawing.append(over(`t-${kind}`, at(ours), y - 14, width, `${first} ${score(ours)}`));
    drawing.append(over("soft", at(theirs), y + 22, width, `${second} ${score(theirs)}`));
  });
  for (let tick = from; tick < to + 0.01; tick += 0.05) {
    drawing.append(svg("line", { class: "line", x1: at(tick), x2: at(tick), y1: 168, y2: 172 }));
    drawing.append(svg("text", { class: "soft", x: at(tick), y: 186, "text-anchor": tick === from ? "start" : tick > to - 0.01 ? "end" : "middle" }, tick.toFixed(2)));
  }
  drawing.append(svg("line", { class: "line", x1: left, x2: width - right, y1: 168, y2: 168 }));
}

// Both scores on one axis from 0 to 1, with the gap marked and the possible range of averaged F1 shaded.
export function axis(target, answer) {
  const width = widthOf(target);
  const [left, right, y] = [16, 16, 52];
  const at = (value) => left + value * (width - left - right);
  const low = at(answer.averaged_f1);
  const high = at(answer.f1_of_averages);
  const drawing = frame(target, width, 118,
    `averaged F1 ${score(answer.averaged_f1)} and F1 of averages ${score(answer.f1_of_averages)} on an axis from 0 to 1`);
  if (answer.range) {
    drawing.append(svg("rect", { class: "range", x: at(answer.range.low), y: y - 13, height: 26, rx: 3,
      width: Math.max(1, at(answer.range.high) - at(answer.range.low)) }));
  }
  drawing.append(svg("line", { class: "line", x1: at(0), x2: at(1), y1: y, y2: y }));
  for (let tick = 0; tick <= 10; tick += 2) {
    drawing.append(svg("line", { class: "line", x1: at(tick / 10), x2: at(tick / 10), y1: y, y2: y + 18 }));
    drawing.append(svg("text", { class: "soft", x: at(tick / 10), y: y + 32, "text-anchor": "middle" }, (tick / 10).toFixed(1)));
  }
  drawing.append(svg("line", { class: "gap-line", x1: low, x2: high, y1: y, y2: y }));
  drawing.append(svg("circle", { class: "mark-averaged", cx: low, cy: y, r: 8 }));
  drawing.append(svg("path", { class: "mark-of-averages", d: `M${high} ${y - 10}l10 10l-10 10l-10 -10z` }));
  drawing.append(over("t-averaged", low, y - 22, width, `averaged F1 ${score(answer.averaged_f1)}`));
  drawing.append(over("t-of-averages", high, y + 54, width, `F1 of averages ${score(answer.f1_of_averages)}`));
}

// Every class in the precision–recall plane. moved(index, precision, recall) is called while a point is dragged,
// lit(index or null) on hover.
export function plane(target, answer, contours, { moved = null, lit = () => {} } = {}) {
  const width = Math.min(460, widthOf(target));
  const [left, top, right, bottom] = [52, 14, 52, 50]; // a point in a corner covers no number beside it
  const side = width - left - right;
  const height = side + top + bottom;
  const x = (value) => left + value * side;
  const y = (value) => top + (1 - value) * side;
  const drawing = frame(target, width, height, `Precision and recall of every ${answer.unit[0]}, with contours of equal F1; the table of ${answer.unit[1]} has the numbers`);
  drawing.append(svg("rect", { class: "line", x: left, y: top, width: side, height: side }));
  let lowest = Infinity;
  for (const { level, points } of contours) {
    const path = points.map(([p, r], index) => `${index ? "L" : "M"}${x(p).toFixed(1)} ${y(r).toFixed(1)}`).join("");
    drawing.append(svg("path", { class: "contour", d: path }));
    const [p, r] = points[points.length - 1];
    if (lowest - y(r) < 13) continue; // too close to the name of the contour below
    lowest = y(r);
    drawing.append(svg("text", { class: "soft", x: x(p) + 13, y: y(r) + 4 }, `F1 ${level}`));
  }
  for (let tick = 0; tick <= 10; tick += 2) {
    drawing.append(svg("text", { class: "soft", x: x(tick / 10), y: top + side + 24, "text-anchor": "middle" }, (tick / 10).toFixed(1)));
    drawing.append(svg("text", { class: "soft", x: left - 14, y: y(tick / 10) + 4, "text-anchor": "end" }, (tick / 10).toFixed(1)));
  }
  drawing.append(svg("text", { class: "soft", x: x(0.5), y: height - 6, "text-anchor": "middle" }, "precision"));
  drawing.append(svg("text", { class: "soft", x: 12, y: y(0.5), "text-anchor": "middle", transform: `rotate(-90 12 ${y(0.5)})` }, "recall"));
  const [mx, my] = [x(answer.macro_precision), y(answer.macro_recall)];
  drawing.append(svg("path", { class: "cross", d: `M${mx - 8} ${my}h16M${mx} ${my - 8}v16` }));
  const most = Math.max(...answer.per_class.map((record) => record.gap_share), 0);
  const kinds = { "over-precise": "precise", "over-recalled": "recalled", neither: "neither" };
  const places = [];
  const sorted = [...answer.per_class].sort((one, other) => other.gap_share - one.gap_share);
  for (const record of sorted) {
    const radius = most > 0 ? 4 + 8 * Math.sqrt(record.gap_share / most) : 5;
    const [cx, cy] = [x(record.precision), y(record.recall)];
    const index = answer.per_class.indexOf(record);
    const point = svg("circle", { class: `point ${kinds[record.leaning]}${moved ? " movable" : ""}`, cx, cy, r: radius, "data-class": index },
      svg("title", {}, `${record.label}: precision ${score(record.precision)}, recall ${score(record.recall)}, share of the gap ${score(record.gap_share)}${moved ? ". Drag it" : ""}`));
    point.addEventListener("pointerenter", () => lit(index));
    point.addEventListener("pointerleave", () => lit(null));
    drawing.append(point);
    // Classes at the same point share one label.
    const near = places.find((place) => Math.hypot(place.cx - cx, place.cy - cy) < 9);
    if (near) near.labels.push(String(record.label));
    else places.push({ cx, cy, radius, labels: [String(record.label)] });
  }
  if (moved) drag(drawing, (px, py) => [Math.min(1, Math.max(0.001, (px - left) / side)), Math.min(1, Math.max(0, 1 - (py - top) / side))], moved);
  tags(drawing, places, { left: left + 2, right: left + side - 2, top: top + 2, bottom: top + side - 2 }, [{ x: mx - 9, y: my - 9, width: 18, height: 18 }]);
}

// The drawing is rebuilt while a point is dragged, so the listeners are on the window, not on the point.
let dragged = null;

function drag(drawing, where, moved) {
  drawing.addEventListener("pointerdown", (event) => {
    const point = event.target.closest("[data-class]");
    if (!point) return;
    event.preventDefault();
    dragged = { index: Number(point.dataset.class), place: drawing.parentElement, where, moved };
  });
  if (dragged) dragged = { ...dragged, where, moved };
}

window.addEventListener("pointermove", (event) => {
  if (!dragged) return;
  const shown = dragged.place.querySelector("svg");
  const box = shown.getBoundingClientRect();
  const scale = shown.viewBox.baseVal.width / box.width;
  dragged.moved(dragged.index, ...dragged.where((event.clientX - box.left) * scale, (event.clientY - box.top) * scale));
});
for (const over of ["pointerup", "pointercancel"]) window.addEventListener(over, () => { dragged = null; });

// Names next to points, if there is room; the table and the points' tooltips have them all.
function tags(drawing, places, frame, taken) {
  const boxes = [...taken, ...places.map(({ cx, cy, radius }) => ({ x: cx - radius, y: cy - radius, width: 2 * radius, height: 2 * radius }))];
  const meets = (one, other) => one.x < other.x + other.width && other.x < one.x + one.width && one.y < other.y + other.height && other.y < one.y + one.height;
  for (const { cx, cy, radius, labels } of places) {
    const text = labels.length > 1 ? `${shorten(labels[0])} and ${labels.length - 1} more` : shorten(labels[0]);
    const [width, height, away] = [7.4 * lettersIn(text), 16, radius + 4];
    const [right, left] = [cx + away, cx - away - width];
    const middle = Math.min(Math.max(cx - width / 2, frame.left), frame.right - width); // a point at the edge, too, has a name
    const spots = [["start", right, cy - 8], ["end", left, cy - 8], ["middle", middle, cy - away - height], ["middle", middle, cy + away],
      ["start", right, cy - away - 8], ["end", left, cy - away - 8]].map(([anchor, x, y]) => ({ anchor, x, y, width, height }));
    const spot = spots.find((box) => box.x >= frame.left && box.x + width <= frame.right && box.y >= frame.top && box.y + height <= frame.bottom
      && !boxes.some((other) => meets(box, other)));
    if (!spot) continue;
    boxes.push(spot);
    drawing.append(svg("text", { class: "tag", x: spot.x + { start: 0, middle: width / 2, end: width }[spot.anchor], y: spot.y + 12, "text-anchor": spot.anchor }, text));
  }
}

// The Lemma's pairs: the contribution of each pair of classes to the gap.
export function heat(target, answer) {
  const labels = answer.per_class.map((record) => String(record.label));
  const n = labels.length;
  if (!answer.all_pairs || n < 2) {
    target.replaceChildren();
    return;
  }
  const width = Math.min(460, widthOf(target));
  const named = n <= 20;
  const left = named ? Math.min(120, 16 + 7 * Math.max(...labels.map((label) => Math.min(label.length, 14)))) : 10;
  const cell = Math.min(72, (width - left - 10) / n);
  const side = cell * n;
  const longest = Math.max(...labels.map((label) => Math.min(label.length, 14)));
  const tilted = cell < 8 * longest;
  const bottom = !named ? 10 : tilted ? 10 + 6.5 * longest : 24;
  const place = new Map(labels.map((label, index) => [label, index]));
  const most = Math.max(...answer.pairs.map((pair) => pair.contribution), 0);
  const first = answer.pairs[0];
  const drawing = frame(target, width, side + bottom + 4, first
    ? `Contribution of every pair of ${answer.unit[1]}; the largest is ${first.over_precise} and ${first.over_recalled}` : "No pair contributes to the gap");
  const shares = new Map();
  for (const pair of answer.pairs) {
    const [i, j] = [place.get(pair.over_precise), place.get(pair.over_recalled)];
    shares.set(i * n + j, pair);
    shares.set(j * n + i, pair);
  }
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < n; j += 1) {
      const pair = shares.get(i * n + j);
      const strength = pair && most > 0 ? pair.contribution / most : 0;
      const square = svg("rect", { class: "heat", x: left + j * cell, y: 2 + i * cell, width: cell, height: cell, "fill-opacity": strength.toFixed(3) });
      if (pair) square.append(svg("title", {}, `${pair.over_precise} and ${pair.over_recalled}: ${score(pair.contribution)}`));
      drawing.append(square);
      if (pair && cell >= 44) drawing.append(svg("text", { class: strength > 0.55 ? "on-strong" : "", x: left + (j + 0.5) * cell, y: 6 + (i + 0.5) * cell, "text-anchor": "middle" }, score(pair.contribution)));
    }
    if (named) {
      const shown = shorten(labels[i]);
      const middle = 2 + (i + 0.5) * cell;
      drawing.append(svg("text", { class: "soft", x: left - 6, y: middle + 4, "text-anchor": "end" }, shown));
      const across = left + (i + 0.5) * cell;
      const below = side + 14;
      drawing.append(svg("text", tilted
        ? { class: "soft", x: across, y: below, "text-anchor": "end", transform: `rotate(-60 ${across} ${below})` }
        : { class: "soft", x: across, y: below + 4, "text-anchor": "middle" }, shown));
    }
  }
}

// The range of each formula, and the printed value: the band is everything that rounds to it.
export function intervals(target, answer) {
  const bars = [["averaged F1", "averaged", answer.averaged_f1, answer.shown.averaged_f1],
    ["F1 of averages", "of-averages", answer.f1_of_averages, answer.shown.f1_of_averages]].filter(([, , ends]) => ends);
  const printed = answer.published_interval;
  if (!bars.length) {
    target.replaceChildren();
    return;
  }
  const scale = answer.percent ? 100 : 1;
  const places = Math.min(12, answer.decimals + 2);
  const all = [...bars.flatMap(([, , ends]) => ends), ...(printed ?? [])];
  const span = Math.max(...all) - Math.min(...all) || 0.01;
  const from = Math.max(0, Math.min(...all) - 0.15 * span);
  const to = Math.min(1, Math.max(...all) + 0.15 * span);
  const width = widthOf(target);
  const at = (value) => 14 + ((value - from) / (to - from)) * (width - 28);
  const saying = [...bars.map(([name, , , told]) => `${name} ${told}`), ...(printed ? [`printed ${answer.published}`] : [])].join(", ");
  const drawing = frame(target, width, 46 * bars.length + 62, `What each formula could be, given the other figures: ${saying}`);
  const bottom = 46 * bars.length + 22;
  bars.forEach(([name, kind, ends, told], index) => {
    const y = 34 + 46 * index;
    // On a narrow screen, only the name: the ends are in the sentence above and in the tooltip.
    const long = `${name}: ${told}`;
    drawing.append(svg("text", { class: `t-${kind} tag`, x: 14, y: y - 12 }, 7.9 * long.length < width - 20 ? long : name));
    drawing.append(svg("rect", { class: `mark-${kind}`, x: at(ends[0]) - 1.5, y: y - 6, width: Math.max(3, at(ends[1]) - at(ends[0]) + 3), height: 12, rx: 1.5 },
      svg("title", {}, long)));
  });
  if (printed) {
    drawing.append(svg("rect", { class: "printed", x: at(printed[0]), y: 18, width: Math.max(2, at(printed[1]) - at(printed[0])), height: bottom - 18 },
      svg("title", {}, `printed as ${answer.published}: ${answer.shown.published}`)));
  }
  drawing.append(svg("line", { class: "line", x1: 14, x2: width - 14, y1: bottom, y2: bottom }));
  for (const [end, anchor] of [[from, "start"], [(from + to) / 2, "middle"], [to, "end"]]) {
    drawing.append(svg("line", { class: "line", x1: at(end), x2: at(end), y1: bottom, y2: bottom + 5 }));
    drawing.append(svg("text", { class: "soft", x: at(end), y: bottom + 18, "text-anchor": anchor }, fixed(end * scale, places)));
  }
  if (printed) {
    const middle = at((printed[0] + printed[1]) / 2);
    drawing.append(over("", middle, bottom + 36, width, `printed: ${answer.published}`));
  }
}
