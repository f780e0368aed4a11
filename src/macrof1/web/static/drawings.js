// Small drawings that follow every edit. All numbers come from the server; here they only get a place.

import { score, svg } from "./dom.js";

const widthOf = (target) => Math.max(270, Math.min(720, target.clientWidth || 480));

function frame(target, width, height, label) {
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  target.replaceChildren(drawing);
  return drawing;
}

const anchorFor = (x, width) => (x < width * 0.25 ? "start" : x > width * 0.75 ? "end" : "middle");

// Both scores on one axis from 0 to 1: the gap marked, the possible range of averaged F1 shaded.
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
  drawing.append(svg("text", { class: "t-averaged", x: low, y: y - 22, "text-anchor": anchorFor(low, width) }, `averaged F1 ${score(answer.averaged_f1)}`));
  drawing.append(svg("text", { class: "t-of-averages", x: high, y: y + 54, "text-anchor": anchorFor(high, width) }, `F1 of averages ${score(answer.f1_of_averages)}`));
}

// Every class in the plane of precision and recall.
export function plane(target, answer, contours) {
  const width = Math.min(460, widthOf(target));
  const [left, top, right, bottom] = [44, 14, 44, 40];
  const side = width - left - right;
  const height = side + top + bottom;
  const x = (value) => left + value * side;
  const y = (value) => top + (1 - value) * side;
  const drawing = frame(target, width, height, "Precision and recall of every class, with contours of equal F1; the table of classes has the numbers");
  drawing.append(svg("rect", { class: "line", x: left, y: top, width: side, height: side }));
  for (const { level, points } of contours) {
    const path = points.map(([p, r], index) => `${index ? "L" : "M"}${x(p).toFixed(1)} ${y(r).toFixed(1)}`).join("");
    drawing.append(svg("path", { class: "contour", d: path }));
    const [p, r] = points[points.length - 1];
    drawing.append(svg("text", { class: "soft", x: x(p) + 5, y: y(r) + 4 }, `F1 ${level}`));
  }
  for (let tick = 0; tick <= 10; tick += 2) {
    drawing.append(svg("text", { class: "soft", x: x(tick / 10), y: top + side + 16, "text-anchor": "middle" }, (tick / 10).toFixed(1)));
    drawing.append(svg("text", { class: "soft", x: left - 6, y: y(tick / 10) + 4, "text-anchor": "end" }, (tick / 10).toFixed(1)));
  }
  drawing.append(svg("text", { class: "soft", x: x(0.5), y: height - 6, "text-anchor": "middle" }, "precision"));
  drawing.append(svg("text", { class: "soft", x: 12, y: y(0.5), "text-anchor": "middle", transform: `rotate(-90 12 ${y(0.5)})` }, "recall"));
  const [mx, my] = [x(answer.macro_precision), y(answer.macro_recall)];
  drawing.append(svg("path", { class: "cross", d: `M${mx - 8} ${my}h16M${mx} ${my - 8}v16` }));
  const most = Math.max(...answer.per_class.map((record) => record.gap_share), 0);
  const kinds = { "over-precise": "precise", "over-recalled": "recalled", neither: "neither" };
  const places = [];
  for (const record of answer.per_class) {
    const radius = most > 0 ? 4 + 12 * Math.sqrt(record.gap_share / most) : 5;
    const [cx, cy] = [x(record.precision), y(record.recall)];
    drawing.append(svg("circle", { class: `point ${kinds[record.leaning]}`, cx, cy, r: radius },
      svg("title", {}, `${record.label}: precision ${score(record.precision)}, recall ${score(record.recall)}, share of the gap ${score(record.gap_share)}`)));
    // Classes at nearly the same place share one name tag.
    const near = places.find((place) => Math.abs(place.cx - cx) < 70 && Math.abs(place.cy - cy) < 14);
    if (near) near.labels.push(String(record.label));
    else places.push({ cx, cy, radius, labels: [String(record.label)] });
  }
  for (const { cx, cy, radius, labels } of places.slice(0, 14)) {
    const short = labels[0].length > 14 ? `${labels[0].slice(0, 13)}…` : labels[0];
    const inside = cx > left + side * 0.6;
    drawing.append(svg("text", { class: "tag", x: cx + (inside ? -radius - 4 : radius + 4), y: Math.max(top + 14, Math.min(cy + 4, top + side - 5)), "text-anchor": inside ? "end" : "start" },
      labels.length > 1 ? `${short} and ${labels.length - 1} more` : short));
  }
}

// The Lemma's pairs: what every two classes contribute to the gap.
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
    ? `Contribution of every pair of classes; the largest is ${first.over_precise} and ${first.over_recalled}` : "No pair of classes contributes to the gap");
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
    }
    if (named) {
      const shown = labels[i].length > 14 ? `${labels[i].slice(0, 13)}…` : labels[i];
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

// What each formula could be, and what was printed.
export function intervals(target, answer) {
  const bars = [["averaged F1", "averaged", answer.averaged_f1], ["F1 of averages", "of-averages", answer.f1_of_averages]].filter(([, , ends]) => ends);
  const printed = answer.published === null ? null : parseFloat(answer.published) / (answer.percent ? 100 : 1);
  if (!bars.length) {
    target.replaceChildren();
    return;
  }
  const all = [...bars.flatMap(([, , ends]) => ends), ...(printed === null ? [] : [printed])];
  const span = Math.max(...all) - Math.min(...all) || 0.01;
  const from = Math.max(0, Math.min(...all) - 0.15 * span);
  const to = Math.min(1, Math.max(...all) + 0.15 * span);
  const width = widthOf(target);
  const at = (value) => 14 + ((value - from) / (to - from)) * (width - 28);
  const drawing = frame(target, width, 46 * bars.length + 54, "What each formula could be, given the other figures");
  bars.forEach(([name, kind, [low, high]], index) => {
    const y = 34 + 46 * index;
    const text = low === high ? low.toFixed(6) : `${low.toFixed(6)} to ${high.toFixed(6)}`;
    drawing.append(svg("text", { class: `t-${kind}`, x: 14, y: y - 12 }, `${name}: ${text}`));
    drawing.append(svg("rect", { class: `mark-${kind}`, x: at(low) - 1, y: y - 6, width: Math.max(3, at(high) - at(low) + 2), height: 12, rx: 2 }));
  });
  const bottom = 46 * bars.length + 22;
  drawing.append(svg("line", { class: "line", x1: 14, x2: width - 14, y1: bottom, y2: bottom }));
  for (const end of [from, to]) {
    drawing.append(svg("text", { class: "soft", x: at(end), y: bottom + 16, "text-anchor": end === from ? "start" : "end" }, end.toFixed(4)));
  }
  if (printed !== null) {
    drawing.append(svg("line", { class: "cross", x1: at(printed), x2: at(printed), y1: 22, y2: bottom + 4 }));
    drawing.append(svg("text", { x: at(printed), y: bottom + 28, "text-anchor": anchorFor(at(printed), width) }, `printed: ${answer.published}`));
  }
}
